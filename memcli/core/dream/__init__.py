"""Dream: what was said since the last time becomes a few lines of long-term memory, exactly once."""

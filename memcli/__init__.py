"""memcli: inspect and mend the memory of AI agents."""

__version__ = "0.1.0"

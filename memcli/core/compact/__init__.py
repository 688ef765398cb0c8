"""Compact: the first rows of a chat become a summary that its agent reads, each row once, and are put away when they are old."""

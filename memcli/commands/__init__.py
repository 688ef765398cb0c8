"""One file per command: parse, call the core once, hand the result to a printer."""

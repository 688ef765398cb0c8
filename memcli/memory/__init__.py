"""Long-term memory as text: blocks that write back byte for byte, facts in them, differences, lines with their source."""

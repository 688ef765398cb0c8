"""Searching decoded text in many files of JSON lines, as fast as the bytes can be read.

The search decides on decoded text, which a callback gives for each line; a byte prefilter only spares the decoding of
lines that cannot match. So that it never spares too much, the texts must keep this contract. Each text is made of
pieces found in the line:

- a piece is text inside a JSON string, unescaped once, or again for JSON held inside a string, to any depth; key or
  value alike. Bytes that are not UTF-8 give U+FFFD, NUL bytes may be dropped; nothing else is changed;
- or a number, `true`, `false` or `null` as JSON spells it;
- pieces are joined with a newline, with `: `, with `, `, or, for JSON written out anew, with any of `"` `[` `]` `{` `}`.

Nothing else may be put in: a text with a word that the line does not hold is not found by that word.
"""

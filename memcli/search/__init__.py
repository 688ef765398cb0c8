"""Searching decoded text in many files of JSON lines, as fast as the bytes can be read.

Whether a record matches is decided on decoded text, which a callback gives for each line; a byte prefilter only spares
the decoding of lines that cannot match. For it to be sound, whatever the spelling, the texts must keep this contract:
a text is made of pieces that stand in the line, where a piece is

- text inside a JSON string, key or value, unescaped once, or again for JSON inside a string, to any depth. Bytes that
  are not UTF-8 may become U+FFFD, and NUL bytes may be dropped; nothing else may be changed, and nothing left out
  within a piece;
- or a number, `true`, `false` or `null` in the spelling of the line. (A number that decoding spells otherwise, 1e3 as
  1000.0, is not found by its new spelling.)

Pieces may be joined by newlines, by `: ` and `, `, and by the characters `"` `[` `]` `{` `}`, so that JSON may be
written out anew. No part of a needle that may be such a joint is looked for in the bytes: an anchor (anchors.py) never
spans a newline, `: ` or `, `, nor begins with a space or ends with a colon or comma where that may be half of a joint.
Any other word that a text has and its line has not, such as a placeholder or a path put together, will not be found.

The way through the modules: scan (the public function) gives units of files to engine, in forked processes (crew, worker) or in
this process; reader fills a buffer, judge looks through it: prefilter picks out lines, the callback decodes them,
pattern decides. parts holds what they hand each other; ranges and context put results together.
"""

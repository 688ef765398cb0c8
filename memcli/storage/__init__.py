"""Bytes on disk: opening safely, splitting into lines, decoding, archives, watching."""

"""The time at which the command tests run."""

NOW = 1796083200.0
"""2026-12-01T00:00:00Z, a day after the youngest sample."""

"""Classes of damage: what each looks like in the bytes. Codes and their meaning: docs/damage.md."""

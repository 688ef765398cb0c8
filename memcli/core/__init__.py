"""What memcli does: no Typer, no Rich, no print. Functions return values or yield rows."""

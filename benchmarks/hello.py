"""A one-command Typer app: what any command line of this kind costs before it does anything."""

import typer

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def hello() -> None:
    """Say hello."""
    print("hello")


app()

"""One module (or package) for each noun: a typer function makes Options, Options run."""

"""The installation's one database. Nothing outside this package speaks SQL."""

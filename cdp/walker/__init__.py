"""The walker: a script that reads a document as the small tree that a person could use.

It runs in an isolated world of each frame. Its parts are one script; their order is that of
their use.
"""

from __future__ import annotations

from importlib.resources import files

_PARTS = ("dom", "roles", "names", "natives", "states", "tree", "registry")


def _read_source() -> str:
    parts = files(__name__)
    text = "\n".join(parts.joinpath(f"{name}.js").read_text("utf-8") for name in _PARTS)
    return f'globalThis.walker ??= (() => {{ "use strict";\n{text}\nreturn Walker; }})(); 0'


SOURCE = _read_source()
"""Installs ``walker`` in the world that evaluates it, once; evaluates to 0."""

"""The walker's script: its parts in the order of their use, in one function scope."""

from __future__ import annotations

from importlib.resources import files

_PARTS = ("dom", "roles", "names", "natives", "states", "tree", "registry")


def _read_source() -> str:
    parts = files(__package__)
    text = "\n".join(parts.joinpath(f"{name}.js").read_text("utf-8") for name in _PARTS)
    return f'globalThis.walker ??= (() => {{ "use strict";\n{text}\nreturn Walker; }})();'


SOURCE = _read_source()
"""Installs ``walker`` in the world that evaluates it, once."""

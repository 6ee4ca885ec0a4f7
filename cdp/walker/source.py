"""The walker's script: its parts in the order of their use, in one function scope."""

from __future__ import annotations

from importlib.resources import files

NAME = "understudyWalker"
"""The walker's property of the global object. An own one: an element or a frame that the
page calls so is looked up after it."""

IS_INSTALLED = f"Object.hasOwn(globalThis, '{NAME}')"

_PARTS = (
    *("dom", "roles", "names", "natives", "states", "tree", "registry"),
    *("find", "points", "fields", "choices", "ready", "landing", "reading"),
)


def _read_parts() -> str:
    directory = files(__package__)
    return "\n".join(directory.joinpath(f"{part}.js").read_text("utf-8") for part in _PARTS)


SOURCE = f"""if (!{IS_INSTALLED}) Object.defineProperty(globalThis, "{NAME}", {{ value: (() => {{
"use strict";
{_read_parts()}
return Walker;
}})() }});"""
"""Statements that install the walker in the world that runs them, once."""

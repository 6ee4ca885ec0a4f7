"""Composes the rules and the browser: sockets, store, clock."""

"""Chromium over the DevTools protocol. Knows nothing of our sessions."""

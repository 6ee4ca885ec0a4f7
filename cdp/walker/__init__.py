"""The walker reads a page as the small tree that a person could use.

A script of ours (``*.js``, joined by ``source``) runs in the isolated world of each frame
and computes roles and accessible names; ``walking`` runs it over a whole page.
"""

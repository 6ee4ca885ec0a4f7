"""Everyday sessions: one actor's hold on one tab, with a queue, a journal and refs."""

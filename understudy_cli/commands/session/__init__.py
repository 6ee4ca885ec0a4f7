"""``understudy session``: sessions of every kind, from begin to close."""

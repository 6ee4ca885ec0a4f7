"""What a person does with the elements of a page: find one, make sure, act, look at what came.

``targets`` say which element; ``acts`` is the writes, each in two halves: what can be found
out before (``prepare``, reads only), and the act with its reading back (``perform``);
``looks`` is the reads and waits.
"""

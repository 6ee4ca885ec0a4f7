"""The verbs of everyday use, at the top of the tree, and their small nouns."""

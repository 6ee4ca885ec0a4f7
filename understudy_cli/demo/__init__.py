"""A sample site (a small support desk) and a run of one whole evidence session on it."""

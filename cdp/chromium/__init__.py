"""A Chromium of our own: found, launched over a pipe, and ended with everything it started."""

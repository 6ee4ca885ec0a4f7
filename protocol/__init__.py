"""Pure data and rules: no I/O, no clock, no randomness; time and ids are arguments."""

"""Results in a folder: complete or not there, bound to design, code and environment."""

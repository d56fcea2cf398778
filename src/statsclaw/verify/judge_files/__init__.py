"""Files that the engine puts beside a validation suite: the frozen criteria, and the way to answer them."""

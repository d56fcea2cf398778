"""StatsClaw: agents write statistical software; the engine executes and judges."""

__version__ = "0.1.0"

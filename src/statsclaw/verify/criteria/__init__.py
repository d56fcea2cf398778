"""The judge: verdicts computed from recorded evidence and frozen criteria, and from nothing else."""

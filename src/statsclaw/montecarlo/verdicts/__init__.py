"""Criteria: what they can detect, how they are decided, what they would not have noticed."""

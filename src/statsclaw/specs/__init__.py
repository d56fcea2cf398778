"""Contracts: what the planner writes for people and machines, read, checked, frozen."""

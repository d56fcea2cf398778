"""Restricted mean survival time."""

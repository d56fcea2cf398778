"""Checks of samplers: chains, calibration, the joint distribution test."""

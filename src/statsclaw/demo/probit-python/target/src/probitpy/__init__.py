"""Three estimators for the probit model. Nothing is implemented yet."""

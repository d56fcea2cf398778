"""Studies whose data and methods are in R or in any other language."""

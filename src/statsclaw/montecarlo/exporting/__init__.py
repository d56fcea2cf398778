"""Replications as tables of other programs: CSV, Parquet, R's .rds."""

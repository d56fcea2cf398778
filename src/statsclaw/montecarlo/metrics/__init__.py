"""Performance measures with their Monte Carlo errors, and tables of them."""

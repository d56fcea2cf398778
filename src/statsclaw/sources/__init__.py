"""Papers and code in: equations, symbols, algorithms, tables and stated criteria, each with its place."""

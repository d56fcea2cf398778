"""Two readings of the same equations, compared by computation."""

"""Is a suite of tests fit to judge a package? Read without running it, and from what it did when it ran."""

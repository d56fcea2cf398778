"""Programs that run behind the barrier, in place of an agent program. They import nothing of StatsClaw."""

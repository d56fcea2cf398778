"""The seven checks of a review, computed, one file each."""

"""KC01: names and values of single settings: misspelt, misplaced, rejected or without effect."""

"""KC01: names and values of single settings, wherever they stand: misspelt, misplaced, refused, without effect."""

"""Resources → clusters: which files belong together, effective values, edges between the planes."""

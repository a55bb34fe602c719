"""Fast, exact training and encoding: the same merges and the same IDs as the plain algorithm, on any amount of text."""

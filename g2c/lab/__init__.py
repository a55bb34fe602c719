"""A tokenizer at work, step by step: traces of an encoding, animations and figures, for notebooks and handouts."""

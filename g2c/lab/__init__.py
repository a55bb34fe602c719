"""Visualizations of a tokenizer for notebooks and handouts: traces of an encoding, animations and figures."""

"""Visualizations of a tokenizer for notebooks and handouts: traces of an encoding, sliders and charts."""

"""A course of two small modules."""

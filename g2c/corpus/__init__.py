"""Corpora: how they are fetched, read as documents, cut into shards, trained on, encoded, and read back as batches."""

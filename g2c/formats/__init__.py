"""File formats (tokenizer.json, ids.uint32, manifest.json), and conversion to and from other libraries."""

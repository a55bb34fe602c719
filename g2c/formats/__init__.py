"""Files and objects: tokenizer.json, ids.uint32, manifest.json, and the formats and objects of other libraries."""

"""File formats: tokenizer.json, ids.uint32 and manifest.json, and the objects of other libraries.

a tokenizer         table.py             everything that determines its IDs, frozen and checked; others work on this
                    from_vocabulary.py   tables from what others publish: tokens with merges, or tokens alone
                    kept.py              tables of large files, kept in the data folder

artifact            artifact.py          a tokenizer and the corpus that it encoded, in one folder
                    token_ids.py         ids.uint32
                    manifest.py          manifest.json: what the files are and came from, with checksums

tokenizer.json      tokenizer_json.py    reads and writes it, with the files that transformers wants beside it
                    hf_format.py         its content, from a table and to a table
                    chat.py              the chat format, as a template beside it and as token IDs

other libraries     interop.py           objects of tokenizers, transformers and tiktoken
"""

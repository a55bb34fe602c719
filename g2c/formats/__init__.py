"""File formats: tokenizer.json, ids.uint32 and manifest.json, and the files and objects of other libraries.

artifact            artifact.py          a tokenizer and the corpus that it encoded, in one folder
                    token_ids.py         ids.uint32
                    manifest.py          manifest.json: what the files are and came from, with checksums

tokenizer.json      tokenizer_json.py    reads and writes it, with the files that transformers wants beside it
                    hf_format.py         its content, as a dictionary
                    chat.py              the chat format, as a template beside it and as token IDs
                    subword_json.py      the same for WordPiece and Unigram
                    validity.py          refuses what libraries would understand differently
                    merge_table.py       the merges by symbols; which pair a token is merged from

other libraries     interop.py           objects of tokenizers, transformers and tiktoken
                    export.py            files of other programs, with the IDs or the tokenizer
"""

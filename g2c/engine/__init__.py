"""Fast training and encoding, with the same results as the plain algorithm that students write.

    text
      |   parts.py           finds special tokens, ends of documents, and cuts that change no ID
      |   splitting.py       splits text into pieces, under gpt2, gpt4 and other patterns
      |   blocks.py          does so 64 bytes at a time, for plain text
      |   words.py           looks pieces up in a table of words
      |
      |   merging.py         merges new pieces
      |   encoding.py        writes their IDs                       -->   token IDs
      |
      |   counting.py        counts the pieces
      |   exact.py           learns the merges, by a heap.py        -->   merges

fast.py contains the functions that a tokenizer's methods call: for encoding and decoding, and for training in Rust.
compiled.py lets numba compile the loops of the other files, and `python -m g2c.engine` (__main__.py) does so for all of
them in advance.
"""

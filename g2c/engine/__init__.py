"""Training and encoding fast, with the results of the plain algorithm that students write.

    text
      |   parts.py           special tokens and ends of documents; where a long text can be cut without changing its IDs
      |   splitting.py       splits it into pieces, by the patterns gpt2 and gpt4, and gets the next ones ready
    pieces
      |   encoding.py        looks them up, merges the new ones, writes their IDs
    token IDs                or, for training:
      |   exact.py           counts the pieces, and learns the merges
    merges

fast.py is what the methods of a tokenizer call: any text, streams and batches of texts, decoding, and training with the
Rust library. compiled.py turns the loops of the other files into machine code; `python -m g2c.engine` (__main__.py)
does so for all of them at once.
"""

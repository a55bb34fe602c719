"""Training and encoding fast, with the results of the plain algorithm that students write.

    text
      |   parts.py           special tokens and ends of documents: between them is ordinary text
      |   cuts.py            where a long text can be cut without changing its IDs
      |   splitting.py       splits it into pieces, by the patterns gpt2 and gpt4
      |   blocks.py          the same for 64 bytes at a time
      |   pieces.py          the next pieces, ready to be looked up
    pieces
      |                      training: counting.py counts them, exact.py learns the merges
      |                      encoding: encoding.py looks them up, merging.py merges the new ones
    token IDs
      |   decoding.py        turns them into bytes again, and says which characters a token covers
    bytes

compiled.py turns these loops into machine code; `python -m g2c.engine` (__main__.py) does so for all of them at once.
What a tokenizer's methods call: fast.py encodes any text, and trains with the Rust library; many_texts.py encodes
streams and batches of texts.
"""

"""Training and encoding fast, with the results of the plain algorithm that students write.

    text
      |   splitting.py       splits it into pieces, by the patterns gpt2 and gpt4
      |   blocks.py          the same for 64 bytes at a time
      |   adjacency.py       without a pattern, cuts it where no token can cross
    pieces
      |                      training: counting.py counts them, exact.py learns the merges
      |                      encoding: encoding.py looks them up, merging.py merges the new ones
    token IDs
      |   decoding.py        turns them into bytes again
    bytes

compiled.py turns these loops into machine code; `python -m g2c.engine` (__main__.py) does so for all of them at once.
What a tokenizer's methods call: fast.py encodes any text, and trains with the Rust library; many_texts.py encodes
streams and batches of texts; offsets.py says which characters a token covers.
"""

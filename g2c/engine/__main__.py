"""Compile every loop in advance: python -m g2c.engine

The environment's set-up runs it. Machine code for other versions of the loops is removed.
"""

import shutil
import sys

import numpy as np

from g2c.engine.compiled import IS_COMPILED, cache_folder
from g2c.engine.counting import WordCounter, WordCounts
from g2c.engine.decoding import Decoder
from g2c.engine.encoding import WINDOW, Encoder, Tables
from g2c.engine.exact import train_exact
from g2c.engine.splitting import piece_ends, safe_cuts
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import PATTERNS


def main() -> int:
    """Run every loop once, which compiles it. Returns the exit code."""
    if not IS_COMPILED:
        print("numba is not installed: encoding and training give the same results, but take much longer.")
        return 0
    tokenizer = BPEBase(pattern="gpt4")
    train_exact(tokenizer, "to be or not to be, that is the question: é", 270, progress=False)
    encoder = Encoder(Tables.of(tokenizer.merges, None))
    ids = np.concatenate(list(encoder.encode(b"to be " * WINDOW)))
    Decoder(tokenizer.vocab).decode(ids)
    WordCounter().add(WordCounts.of([(b"to", 1)]))
    whole = BPEBase()
    train_exact(whole, "to be or not to be", 258, progress=False)
    piece_ends(b"to be", PATTERNS["gpt2"])
    safe_cuts(b"to be")
    folder = cache_folder()
    for other in folder.parent.iterdir() if folder else ():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

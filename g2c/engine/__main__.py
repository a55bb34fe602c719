"""Compile every loop in advance: python -m g2c.engine

The environment's set-up runs it. Machine code for other versions of the loops is removed.
"""

import shutil
import subprocess
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


def compile_training() -> None:
    """Run the loops of training once, which compiles them."""
    train_exact(BPEBase(pattern="gpt2"), "to be or not to be", 258, progress=False)
    WordCounter().add(WordCounts.of([(b"to", 1)]))
    safe_cuts(b"to be")


def compile_encoding() -> None:
    """The same for encoding and decoding."""
    merges = {(116, 111): 256}
    encoder = Encoder(Tables.of(merges, None))
    ids = np.concatenate(list(encoder.encode("to bé ".encode() * WINDOW)))
    list(Encoder(Tables.of(merges, PATTERNS["gpt4"])).encode("to bé".encode()))
    Decoder({token_id: b"to" for token_id in range(257)}).decode(ids)
    piece_ends(b"to be", PATTERNS["gpt2"])


PARTS = {"training": compile_training, "encoding": compile_encoding}


def main(arguments: list[str]) -> int:
    """Compile the parts named, or all of them, each in a process of its own. Returns the exit code."""
    if not IS_COMPILED:
        print("numba is not installed: encoding and training give the same results, but take much longer.")
        return 0
    if arguments:
        for name in arguments:
            PARTS[name]()
        return 0
    processes = [subprocess.Popen([sys.executable, "-m", "g2c.engine", name]) for name in PARTS]
    codes = [process.wait() for process in processes]
    folder = cache_folder()
    for other in folder.parent.iterdir() if folder else ():
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""`g2c generate`: let the language model of module 05, trained on an artifact's token IDs, write until Ctrl-C."""

import argparse
import codecs
import secrets
from collections.abc import Iterator
from itertools import count
from random import Random

import g2c.language_model
from coach.common.errors import CourseError, MissingFileError
from coach.common.paths import is_checkout
from coach.exercise_file import check_file
from coach.exercises import modules
from g2c.corpus.corpora import NAMED_TOKENIZERS, artifact_name
from g2c.tokenizer.base import BPEBase


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="shakespeare, story, g2c, or another artifact, whose token IDs are counted")
    parser.add_argument("text", nargs="*", help="the beginning; without it, the model begins a document")
    parser.add_argument("--n", type=int, default=3, help="predict from the n - 1 tokens before (3 by default)")
    parser.add_argument("--length", type=int, metavar="N", help="stop after N tokens, and not only at Ctrl-C")
    parser.add_argument("--temperature", type=float, default=0.7, help="below 1: more probable tokens (0.7 by default)")
    parser.add_argument("--top-k", type=int, metavar="K", help="draw only among the K most probable tokens")
    parser.add_argument("--top-p", type=float, metavar="P", help="draw only among the fewest tokens that sum to P")
    parser.add_argument("--seed", type=int, help="the same seed gives the same text")


def run(arguments: argparse.Namespace) -> int:
    if arguments.n < 1 or not arguments.temperature > 0 or (arguments.top_k is not None and arguments.top_k < 1):
        raise CourseError("--n and --top-k must be at least 1, and --temperature above 0.")
    if arguments.length is not None and arguments.length < 0:
        raise CourseError("--length must be at least 0.")
    if arguments.top_p is not None and not 0 < arguments.top_p <= 1:
        raise CourseError("--top-p must be above 0, and at most 1.")
    for module in modules().values() if is_checkout() else ():
        if "NGramModel" in module.public_names:
            # Checked here, because importing a file that cannot be used would end in a traceback.
            check_file(module)
    name = artifact_name(arguments.name)
    try:
        model, tokenizer = g2c.language_model.NGramModel.from_artifact(name, arguments.n)
    except MissingFileError as error:
        remedy = f" Make it with: g2c train {arguments.name}" if name in NAMED_TOKENIZERS else ""
        raise CourseError(f"{error}{remedy}") from None
    text = " ".join(arguments.text)
    try:
        ids = tokenizer.encode_fast(text)
    except ValueError as error:
        raise CourseError(str(error)) from None
    # A character may be spread over several tokens; an incomplete one waits for the next token.
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    try:
        for token_id in _tokens(model, tokenizer, ids, arguments):
            print(decoder.decode(tokenizer.vocab.get(token_id, b"")), end="", flush=True)
    except KeyboardInterrupt:
        pass  # The usual end of this command.
    print()
    return 0


def _tokens(
    model: "g2c.language_model.NGramModel", tokenizer: BPEBase, ids: list[int], arguments: argparse.Namespace
) -> Iterator[int]:
    """Heal the prompt, and draw token after token, until the length is reached or the model ends its message."""
    seed = secrets.randbits(64) if arguments.seed is None else arguments.seed
    special = tokenizer.special_token_ids
    vocab = {token_id: text for token_id, text in sorted(tokenizer.vocab.items()) if token_id not in special}
    ids = model.heal(ids, vocab, seed)
    yield from ids
    seeds = Random(seed)
    options = {"temperature": arguments.temperature, "top_k": arguments.top_k, "top_p": arguments.top_p}
    end = tokenizer.special_to_id.get("<|end|>")
    for _ in count() if arguments.length is None else range(arguments.length):
        new = model.sample(ids, 1, seeds.getrandbits(32), **options)
        yield from new
        if new[-1:] == [end]:
            return
        ids = [*ids, *new][-arguments.n :]

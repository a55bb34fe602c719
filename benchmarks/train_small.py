"""How long training takes on one megabyte, and that every trainer learns the same merges.

    python benchmarks/train_small.py                    TinyShakespeare, fetched before with ./datasets.sh --tiny
    python benchmarks/train_small.py FILE --full        another text; plain recounting to the end (many minutes)

Each time is the median of several rounds, in which the trainers take turns. A time is printed only after the results
have been found identical. Plain recounting is the answer key's `train`. Without --full it is estimated from single
steps at places spread over the whole training, each of which must find the merge that train_exact learned there.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from g2c.corpora import load_corpus
from g2c.errors import CorpusError
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.hf_format import BYTE_TO_CHAR, chars_to_bytes
from g2c.tokenizer.patterns import PATTERNS


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path, help="a text in UTF-8; default: the corpus tinyshakespeare")
    parser.add_argument("--vocab-size", type=int, default=4096)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=12, help="single steps of plain recounting that are timed")
    parser.add_argument("--full", action="store_true", help="run plain recounting to the end")
    arguments = parser.parse_args()
    try:
        text = arguments.file.read_bytes().decode("utf-8") if arguments.file else load_corpus("tinyshakespeare").text
    except (CorpusError, OSError, UnicodeDecodeError) as error:
        parser.error(str(error))
    vocab_size = arguments.vocab_size
    print(f"{len(text.encode()):,} bytes, vocabulary {vocab_size:,}, medians of {arguments.rounds} rounds\n")

    trainings = {
        "train_exact, no pattern": lambda: train(BPETokenizer(), "train_exact", text, vocab_size),
        "train_exact, gpt2 pattern": lambda: train(
            BPETokenizer(pattern="gpt2"), "train_exact", text, vocab_size, ties="lowest-id"
        ),
        "train_fast, gpt2 pattern": lambda: train(BPETokenizer(pattern="gpt2"), "train_fast", text, vocab_size),
        "tokenizers, gpt2 pattern": lambda: train_with_tokenizers(text, vocab_size),
    }
    seconds, results = take_turns(trainings, arguments.rounds)
    check_same({name: merges for name, merges in results.items() if "gpt2" in name})
    if arguments.full:
        plain_name = "plain recounting, no pattern"
        start = time.perf_counter()
        merges = train(BPETokenizer(), "train", text, vocab_size, progress=True)
        plain_seconds = time.perf_counter() - start
        check_same({"train_exact": results["train_exact, no pattern"], "plain recounting": merges})
    else:
        plain_name = f"plain recounting, estimated from {arguments.steps} steps"
        plain_seconds = estimate_plain(text, results["train_exact, no pattern"], arguments.steps)

    exact_seconds = seconds["train_exact, no pattern"]
    gpt2_seconds = seconds["train_exact, gpt2 pattern"]
    print(f"{plain_name:<48}{plain_seconds:10.2f} s")
    ratio = plain_seconds / exact_seconds
    print(f"{'train_exact, no pattern':<48}{exact_seconds:10.2f} s   {ratio:,.0f} times faster\n")
    for name, took in seconds.items():
        if "gpt2" in name:
            print(f"{name:<48}{took:10.2f} s   {took / gpt2_seconds:.2f} of train_exact's time")
    print("\nAll results were identical: those without a pattern, and those with it (ties to the lowest IDs).")


def train(tokenizer: BPETokenizer, method: str, text: str, vocab_size: int, **options) -> list[tuple[bytes, bytes]]:
    """Train and return the merges, as pairs of tokens in the order learned."""
    getattr(tokenizer, method)(text, vocab_size, **{"progress": False, **options})
    return [(tokenizer.vocab[first], tokenizer.vocab[second]) for first, second in tokenizer.merges]


def train_with_tokenizers(text: str, vocab_size: int) -> list[tuple[bytes, bytes]]:
    """Train with the library `tokenizers`, called directly."""
    tokenizer = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(PATTERNS["gpt2"]), "isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    # The alphabet stands first, as special tokens, so that it is numbered in the order of bytes and ties fall alike.
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=list(BYTE_TO_CHAR.values()), show_progress=False
    )
    tokenizer.train_from_iterator([text], trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(chars_to_bytes(left), chars_to_bytes(right)) for left, right in merges]


def take_turns(trainings: dict[str, Callable], rounds: int) -> tuple[dict[str, float], dict[str, list]]:
    """Run all of them, `rounds` times in turn: the median seconds, and what each returned."""
    times: dict[str, list[float]] = {name: [] for name in trainings}
    results = {}
    for _ in range(rounds):
        for name, training in trainings.items():
            start = time.perf_counter()
            results[name] = training()
            times[name].append(time.perf_counter() - start)
    return {name: statistics.median(values) for name, values in times.items()}, results


def estimate_plain(text: str, merges: list[tuple[bytes, bytes]], steps: int) -> float:
    """Seconds that plain recounting would take, from single steps at `steps` places spread over the training.

    The corpus as it is before a merge is what train_exact returns for the vocabulary up to there. A step's time falls
    slowly and steadily, with the number of tokens left, so that a few evenly spread steps stand for all of them.
    """
    places = [int((step + 0.5) * len(merges) / steps) for step in range(steps)]
    times = []
    for place in places:
        tokenizer = BPETokenizer()
        ids = tokenizer.train_exact(text, 256 + place, progress=False)
        start = time.perf_counter()
        _, (first, second), _ = tokenizer.train_step(ids, 256 + place)
        times.append(time.perf_counter() - start)
        found = tokenizer.vocab[first], tokenizer.vocab[second]
        if found != merges[place]:
            raise SystemExit(f"Merge {place}: plain recounting finds {found}, train_exact {merges[place]}.")
    return statistics.mean(times) * len(merges)


def check_same(results: dict[str, list]) -> None:
    (first_name, first), *others = results.items()
    for name, merges in others:
        if merges != first:
            raise SystemExit(f"{name} and {first_name} learned different merges; no times are printed.")


if __name__ == "__main__":
    main()

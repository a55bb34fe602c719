"""Text of any size, the same for the same seed, with the word statistics of natural language.

Benchmarks need corpora of a gigabyte that do not have to be downloaded. Random characters are not suitable, because the
speed of a tokenizer depends on how often words repeat. Here 600,000 invented words are drawn with the frequencies of a
natural language: proportional to 1 / k for rank k up to 8,000, and to 1 / k^2 beyond (Ferrer i Cancho and Solé 2001).
So a few hundred words make up half of the text, and new ones keep appearing. The text has sentences, capital letters,
punctuation, contractions, numbers, paragraphs, and a small share of other scripts.
"""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

VOCABULARY, COMMON_WORDS = 600_000, 8_000
WORDS_IN_A_PART = 100_000

_ONSETS = "b c d f g h j k l m n p r s t v w z th sh ch st tr pr gr pl cl br fr qu".split() + [""] * 6
_VOWELS = ("a e i o u a e i o e a ea ou ai oo ie " * 4 + "é ü ö").split()
_CODAS = "n r s t l d m ng nd st ck rs ll".split() + [""] * 9
_OTHER_SCRIPTS = "привет мир слово 東京 大学 言語 γλώσσα λόγος שלום مرحبا हिन्दी 한국어 😀 🎉".split()
_AFTER = {
    **{"": 0.84, ",": 0.055, ".": 0.045, "?": 0.005, "!": 0.004, ";": 0.004, ":": 0.003, ")": 0.002, "...": 0.002},
    **{"'s": 0.012, "n't": 0.004, "'ll": 0.002, " -": 0.004, " —": 0.002, ",”": 0.002, ".”": 0.002},
    **{"\n": 0.004, ".\n\n": 0.012},
}
_SENTENCE_ENDS = (".", "?", "!", ".”", ".\n\n")
_BEFORE = {" ": 0.975, " “": 0.006, " (": 0.004, "  ": 0.005, " re-": 0.005, "-": 0.005}


def parts(seed: int = 1) -> Iterator[bytes]:
    """An infinite text in UTF-8, in parts of about half a megabyte."""
    random = np.random.default_rng(seed)
    words = _vocabulary(np.random.default_rng(0))
    lower = np.array(words, object)
    capital = np.array([word[:1].upper() + word[1:] for word in words], object)
    ranks = np.arange(VOCABULARY) + 2.7
    odds = 1 / np.maximum(ranks, ranks**2 / COMMON_WORDS)
    cumulative = np.cumsum(odds / odds.sum())
    before, after = np.array(list(_BEFORE), object), np.array(list(_AFTER), object)
    before_odds, after_odds = (np.array(list(odds.values())) / sum(odds.values()) for odds in (_BEFORE, _AFTER))
    ends_sentence = np.isin(list(_AFTER), _SENTENCE_ENDS)
    while True:
        size = WORDS_IN_A_PART
        drawn = np.searchsorted(cumulative[:-1], random.random(size))
        afters = random.choice(len(after), size, p=after_odds)
        is_first = np.ones(size, bool)
        is_first[1:] = ends_sentence[afters[:-1]]
        text = np.empty((size, 3), object)
        text[:, 0] = before[random.choice(len(before), size, p=before_odds)]
        text[:, 1] = np.where(is_first | (random.random(size) < 0.03), capital[drawn], lower[drawn])
        text[:, 2] = after[afters]
        numbers = np.flatnonzero(random.random(size) < 0.006)
        largest = 10 ** random.integers(1, 8, len(numbers))
        text[numbers, 1] = [str(number) for number in (random.random(len(numbers)) * largest).astype(int).tolist()]
        foreign = np.flatnonzero(random.random(size) < 0.001)
        text[foreign, 1] = np.array(_OTHER_SCRIPTS, object)[random.integers(len(_OTHER_SCRIPTS), size=len(foreign))]
        yield "".join(text.ravel().tolist()).encode()


def _vocabulary(random: np.random.Generator) -> list[str]:
    """Distinct words, by frequency. The maximum number of syllables grows with the rank."""
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        most_syllables = 1 + (len(words) > 200) + (len(words) > 5_000) + (len(words) > 50_000)
        syllables = random.integers(1, most_syllables + 1, 10_000).tolist()
        letters = iter(random.integers(0, 1 << 30, 3 * sum(syllables)).tolist())
        for count in syllables:
            word = ""
            for choices in (_ONSETS, _VOWELS, _CODAS) * count:
                word += choices[next(letters) % len(choices)]
            words[word] = None
    return list(words)[:VOCABULARY]


def write(path: Path, size: int, seed: int = 1) -> None:
    """Write a text of about `size` bytes: whole parts, the last one cut after a word."""
    with path.open("wb") as file:
        for part in parts(seed):
            left = size - file.tell()
            if len(part) >= left:
                file.write(part[: part.rfind(b" ", 0, left) + 1])
                return
            file.write(part)


def parse_size(text: str) -> int:
    """A number of bytes: "1MB" is a million.

    >>> parse_size("1.5MB")
    1500000
    """
    match = re.fullmatch(r"([0-9.]+) *([kMG]?)B?", text)
    if match is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; write 500kB, 100MB or 1GB.")
    return int(float(match[1]) * {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}[match[2]])

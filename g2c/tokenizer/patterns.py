"""Pre-tokenization: split text into pieces before BPE, so that no merge reaches from one word into the next.

    "Hello world, 2024"  --gpt2-->  "Hello" " world" "," " 2024"

The regex engine of the Rust library `tokenizers` (Oniguruma) finds the pieces. Python's regex engines have different
Unicode tables, and engines that disagree on whether a character is a letter would give different IDs.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tokenizers import Regex, pre_tokenizers

LIBRARY = "tokenizers"
"""The module with the regex engine. For browsers, g2c.page has another with the same interface."""

Pattern = str
"""A regex, as `resolve_pattern` returns it."""


_CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

PATTERNS: dict[str, str] = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "gpt4": _CL100K,
    "o200k": r"[^\r\n\p{L}\p{N}]?"
    r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    "llama3": _CL100K,
    "qwen": _CL100K.replace("{1,3}", ""),
}
"""Name -> regex. gpt2: Radford et al. 2019. gpt4: OpenAI's cl100k_base, rewritten for Oniguruma with the same matches.
o200k: OpenAI's o200k_base, for GPT-4o and gpt-oss. llama3 (the same as gpt4) and qwen: from these models'
tokenizer.json. g2c/engine/splitting.py repeats them as loops; test_splitting.py compares the two."""

EXAMINED = frozenset(PATTERNS[name] for name in ("gpt2", "gpt4", "o200k", "llama3", "qwen"))
"""The regexes of which tests show two facts; of any other, nothing is assumed. A text may be cut at every `SAFE_CUT`: a
piece ends there, the regex does not look behind, and it looks ahead only after white space. And tiktoken's regex engine
finds the same matches."""

PART_CHARACTERS = 2000
"""The approximate number of characters that are split at a time."""

SAFE_CUT = re.compile(r"(?<=\S)(?= )|(?<=[0-9A-Za-z])(?=\n)|(?<=[一-龥])(?=[、。])")
"""Where a text can be cut without changing its pieces under an examined pattern: before a space that follows no white
space, between a word and a line end, and before a Chinese comma or full stop. No normalization combines the two sides.
"""


def resolve_pattern(pattern: str | None) -> Pattern | None:
    """Look up a name in `PATTERNS`, or check a regex, and return the regex; None splits nothing.

    Raises TypeError for anything else, and ValueError for an unknown name, or a regex that does not compile.
    """
    if pattern is None:
        return None
    if not isinstance(pattern, str):
        raise TypeError(f"pattern must be 'gpt2', 'gpt4', a regex as a string, or None, but it is {pattern!r}.")
    if pattern in PATTERNS or pattern in EXAMINED:
        return PATTERNS.get(pattern, pattern)
    if re.fullmatch(r"[\w-]+", pattern):
        raise ValueError(f"There is no pattern named {pattern!r}; the names are {', '.join(PATTERNS)}.")
    _compile(pattern)
    return pattern


def normalized(text: str, form: str | None) -> str:
    """Bring a text into the Unicode form NFC, by the library's Unicode tables; the form None leaves it unchanged.

    >>> normalized("e\u0301", "NFC") == "\u00e9"
    True
    """
    if form is None or text.isascii():
        return text
    return str(_library().normalizers.NFC().normalize_str(text))


def split_by_pattern(text: str, pattern: Pattern | None) -> list[str]:
    """Split `text` into pieces: the matches of the pattern, and the text between them. Joined, they give `text`.

    `pattern` is what `resolve_pattern` returns. Raises ValueError if the regex engine gives up, as it does for a text
    that is too long for a regex of one's own.

    >>> split_by_pattern("Hello world, 2024", PATTERNS["gpt2"])
    ['Hello', ' world', ',', ' 2024']
    """
    if pattern is None:
        return [text] if text else []
    with panics_as_errors():
        split = splitter(pattern).pre_tokenize_str
        return [piece for part in short_texts(text, pattern) for piece, _ in split(part)]


def short_texts(text: str, pattern: Pattern) -> Iterator[str]:
    """Cut a text into parts of about `PART_CHARACTERS` characters, whose pieces are the pieces of the text.

    In one part, a long text takes three times as long, and 100 bytes of memory per character. It is cut at a
    `SAFE_CUT` if the pattern is examined; the last part includes the remainder.
    """
    begin = 0
    if pattern in EXAMINED:
        while len(text) - begin > 2 * PART_CHARACTERS and (match := SAFE_CUT.search(text, begin + PART_CHARACTERS)):
            yield text[begin : match.start()]
            begin = match.start()
    if text:
        yield text[begin:]


def last_safe_cut(window: bytes, pattern: Pattern | None, special_tokens: Sequence[str] = ()) -> int:
    """Return the offset of the last `SAFE_CUT` in a part of a text that is inside no special token; 0 if there is none.
    The part, in UTF-8, may begin and end inside a character or a special token: there, nothing counts as a cut.

    >>> last_safe_cut("Eins, zwölf, drei".encode(), PATTERNS["gpt4"])
    13
    """
    if pattern not in EXAMINED:
        return 0
    begin = next((at for at, byte in enumerate(window[:4]) if byte & 0b1100_0000 != 0b1000_0000), 0)
    text = window[begin:].decode(errors="ignore")
    longest = max(map(len, special_tokens), default=1)
    cuts = [match.start() for match in SAFE_CUT.finditer(text, longest - 1, max(0, len(text) - longest + 2))]
    for cut in reversed(cuts):
        # What contains a whole token here has it on both sides of the cut.
        if not any(token in text[cut - len(token) + 1 : cut + len(token) - 1] for token in special_tokens):
            return begin + len(text[:cut].encode())
    return 0


def bert_words(text: str, lowercase: bool) -> list[str]:
    """Split a text into words for WordPiece, as BERT does (Devlin et al. 2018): whitespace separates words, and each
    punctuation mark and each Chinese character is a word. `lowercase` removes accents, too.

    >>> bert_words("Café, don't!", lowercase=True)
    ['cafe', ',', 'don', "'", 't', '!']
    """
    cleaned = _library().normalizers.BertNormalizer(lowercase=lowercase).normalize_str(text)
    return [word for word, _ in _library().pre_tokenizers.BertPreTokenizer().pre_tokenize_str(cleaned)]


@lru_cache(maxsize=32)
def splitter(pattern: Pattern) -> "pre_tokenizers.Split":
    """Return the Rust library's splitter for a pattern. Raises ValueError if the regex does not compile."""
    return _library().pre_tokenizers.Split(_compile(pattern), "isolated")  # type: ignore[no-any-return]


def _library() -> Any:
    return import_module(LIBRARY)


def _compile(pattern: str) -> "Regex":
    try:
        return _library().Regex(pattern)  # type: ignore[no-any-return]
    except Exception as error:
        raise ValueError(f"The pattern {pattern!r} is not a valid regex: {error}.") from None


@contextmanager
def panics_as_errors() -> Iterator[None]:
    """Raise ValueError if the regex engine gives up: Rust panics, with a BaseException."""
    try:
        yield
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError(
            "The regex engine failed: the text is too long for a regex, or the pattern takes forever. Cut the text "
            "into smaller parts, or write the pattern without one repetition inside another."
        ) from None

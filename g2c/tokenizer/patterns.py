"""Pre-tokenization: split text into pieces before BPE, so that no merge reaches from one word into the next.

    "Hello world, 2024"  --gpt2-->  "Hello" " world" "," " 2024"

The regex engine of the Rust library `tokenizers` (Oniguruma) finds the pieces. Python's regex engines use other
versions of the Unicode tables, and engines that disagree on whether a character is a letter would give different IDs.
The library is imported when a text is split or a regex is checked, not before.
"""

import re
import string
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Regex, pre_tokenizers

PATTERNS: dict[str, str] = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "gpt4": (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
        r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}
"""The named patterns. gpt2: Radford et al. 2019. gpt4: OpenAI's cl100k_base, rewritten for Oniguruma, same matches.

g2c/engine/splitting.py has them again as loops; test_splitting.py holds the two together."""

TIKTOKEN_PATTERNS: dict[str, str] = {
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
        r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ): "gpt4",
}
"""tiktoken's spelling of a named pattern -> the name. Oniguruma would read these spellings in another way.

Source: tiktoken 0.14, tiktoken_ext/openai_public.py. Its gpt4 differs from the one here in one case: spaces after a
line end, at the end of a text, form one piece with the line end there, and a separate piece here."""

PART_CHARACTERS = 2000
"""The approximate number of characters that are split at a time."""

_BEFORE_A_SPACE = re.compile(r"(?<=\S)(?= )")


def resolve_pattern(pattern: str | None) -> str | None:
    """Return the regex for a pattern: a name in `PATTERNS` is looked up, a regex is checked, None splits nothing.

    tiktoken's spellings in `TIKTOKEN_PATTERNS` mean the named patterns.

    Raises:
        TypeError: `pattern` is neither a str nor None.
        ValueError: there is no such name, or the regex does not compile or can match the empty string.
    """
    if pattern is None:
        return None
    if not isinstance(pattern, str):
        raise TypeError(f"pattern must be 'gpt2', 'gpt4', a regex as a string, or None, but it is {pattern!r}.")
    pattern = TIKTOKEN_PATTERNS.get(pattern, pattern)
    if pattern in PATTERNS or pattern in PATTERNS.values():
        return PATTERNS.get(pattern, pattern)
    if re.fullmatch(r"[\w-]+", pattern):
        raise ValueError(f"There is no pattern named {pattern!r}; the names are {' and '.join(PATTERNS)}.")
    if _matches_empty_string(pattern):
        raise ValueError(f"The pattern {pattern!r} can match the empty string; each match must have a character.")
    return pattern


def split_by_pattern(text: str, pattern: str | None) -> list[str]:
    """Split `text` into pieces: the matches of the pattern, and the text between them. Joined, they give `text`.

    Named patterns split any text in time that grows with its length. How long another regex takes is up to its author.

    Args:
        text: any text without lone surrogates.
        pattern: a regex, as `resolve_pattern` returns it, or None for a single piece.

    Raises:
        ValueError: the engine failed, because the text is too long for the pattern.

    >>> split_by_pattern("Hello world, 2024", PATTERNS["gpt2"])
    ['Hello', ' world', ',', ' 2024']
    """
    if pattern is None:
        return [text] if text else []
    try:
        return [piece for part in short_texts(text, pattern) for piece, _ in splitter(pattern).pre_tokenize_str(part)]
    except BaseException as error:
        # A panic in Rust is a BaseException, which `except Exception` does not catch.
        if type(error).__name__ != "PanicException":
            raise
        raise ValueError(
            f"The regex engine failed on a text of {len(text)} characters; "
            "cut the text into smaller parts, for instance at line ends."
        ) from None


def short_texts(text: str, pattern: str) -> Iterator[str]:
    """Cut a text into parts of about `PART_CHARACTERS` characters, whose pieces are the pieces of the text.

    For a long text, the library takes 100 bytes for each character, and three times as long. Under a named pattern a
    piece always ends before a space that follows no white space, and the pieces on one side do not depend on the other
    side: nothing looks behind, and the only look-ahead is after white space. Under another pattern, the text is not
    cut.
    """
    begin = 0
    if pattern in PATTERNS.values():
        # The remainder joins the last part: many texts are that short.
        while len(text) - begin > 2 * PART_CHARACTERS and (
            match := _BEFORE_A_SPACE.search(text, begin + PART_CHARACTERS)
        ):
            yield text[begin : match.start()]
            begin = match.start()
    if text:
        yield text[begin:]


def bert_words(text: str, lowercase: bool) -> list[str]:
    """Split a text into words for WordPiece, as BERT does (Devlin et al. 2018).

    Control characters are removed. White space separates words, and each punctuation character and each Chinese
    character is a word.

    Args:
        text: any text without lone surrogates.
        lowercase: convert the text to lowercase and remove accents.

    >>> bert_words("Café, don't!", lowercase=True)
    ['cafe', ',', 'don', "'", 't', '!']
    """
    from tokenizers import normalizers, pre_tokenizers

    cleaned = normalizers.BertNormalizer(lowercase=lowercase).normalize_str(text)
    return [word for word, _ in pre_tokenizers.BertPreTokenizer().pre_tokenize_str(cleaned)]


@lru_cache(maxsize=32)
def splitter(pattern: str) -> "pre_tokenizers.Split":
    """Return the Rust library's splitter for a regex. Raises ValueError if the regex does not compile."""
    from tokenizers import pre_tokenizers

    return pre_tokenizers.Split(_compile(pattern), "isolated")


def _compile(pattern: str) -> "Regex":
    from tokenizers import Regex

    try:
        return Regex(pattern)
    except Exception as error:
        raise ValueError(f"The pattern {pattern!r} is not a valid regex: {error}.") from None


@lru_cache(maxsize=32)
def _matches_empty_string(pattern: str) -> bool:
    """Replace each match in many short texts with a mark: more marks than replaced characters mean an empty match."""
    from tokenizers import normalizers

    mark = "\ue000"
    replace = normalizers.Replace(_compile(pattern), mark)
    for text in (*string.printable, "ab", "a b", " a", "a ", "a1", "1a", "a\n", "\na", "é", "中"):
        marked = replace.normalize_str(text)
        marks = marked.count(mark)
        if marks > len(text) - (len(marked) - marks):
            return True
    return False

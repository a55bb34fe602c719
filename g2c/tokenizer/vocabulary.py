"""What the tokenizers of modules 04b, 04f and 04g share: their tokens are text, numbered from 0."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from g2c.tokenizer.checks import check_id, check_number, check_text

Symbols = tuple[str, ...]
SymbolPair = tuple[str, str]


class Vocabulary:
    """Numbers tokens from 0, in two dictionaries: `id_to_token` is the inverse of `token_to_id`."""

    token_to_id: dict[str, int]
    id_to_token: dict[int, str]

    @property
    def vocab_size(self) -> int:
        """The number of tokens, including special tokens."""
        return len(self.token_to_id)

    def _set_tokens(self, tokens: Iterable[str]) -> None:
        """Replace all tokens with these, numbered in their order."""
        self.token_to_id, self.id_to_token = {}, {}
        for token in tokens:
            self._add_token(token)

    def _add_token(self, token: str) -> None:
        """Give `token` the next ID, unless it has one. Two merges can make the same token, such as a+bc and ab+c."""
        if token not in self.token_to_id:
            self.id_to_token[len(self.token_to_id)] = token
            self.token_to_id[token] = len(self.token_to_id)

    def _tokens(self, ids: Iterable[int]) -> Iterator[str]:
        """Yield each ID's token. Raises what `check_id` raises."""
        for token_id in ids:
            check_id(token_id, self.id_to_token)
            yield self.id_to_token[token_id]


def word_counts(text_or_counts: str | Mapping[str, int], split: Callable[[str], Iterable[str]]) -> dict[str, int]:
    """Count the words into which `split` cuts a text, or check counts that are given. Raises TypeError or ValueError if
    this is neither a text nor counts, or a word or a frequency is not valid.

    >>> word_counts("to be or not to be", str.split)
    {'to': 2, 'be': 2, 'or': 1, 'not': 1}
    """
    if isinstance(text_or_counts, str):
        return dict(Counter(split(text_or_counts)))
    if not isinstance(text_or_counts, Mapping):
        kind = type(text_or_counts).__name__
        raise TypeError(f"train takes a text or a dictionary word -> frequency, but this is of type {kind}.")
    for word, frequency in text_or_counts.items():
        check_text(word)
        if not word:
            raise ValueError("A word must not be empty.")
        check_number(f"the frequency of the word {word!r}", frequency, at_least=1)
    return dict(text_or_counts)


def join_pair(symbols: Sequence[str], pair: SymbolPair, joined: str) -> Symbols:
    """Put `joined` in place of each occurrence of a pair in a word, from left to right. Symbols are compared whole.

    >>> join_pair(("ca", "b", "a", "b", "a"), ("a", "b"), "ab")
    ('ca', 'b', 'ab', 'a')
    >>> join_pair(("z", "z", "z"), ("z", "z"), "zz")
    ('zz', 'z')
    """
    word: list[str] = []
    position = 0
    while position < len(symbols):
        is_here = tuple(symbols[position : position + 2]) == pair
        word.append(joined if is_here else symbols[position])
        position += 2 if is_here else 1
    return tuple(word)


def check_progress(method: str, pair: SymbolPair, learned: Sequence[tuple[SymbolPair, float]]) -> None:
    """Raise a ValueError if a student's method returned the pair that was learned last: training would never end."""
    if learned and pair == learned[-1][0]:
        raise ValueError(
            f"Training cannot continue: {method} returned the pair {pair!r} twice in a row, so it did not join this "
            "pair in every word."
        )

"""Module 04a: the two oldest tokenizers, one token per character and one token per word. You complete this file.

Both use a numbered list of symbols. They differ in what a symbol is:

    "To be or not"   characters   T o _ b e _ o r _ n o t     12 tokens, from a list of about a hundred
                     words        to be or not                 4 tokens, from a list that never ends

Fill in the five TODOs from top to bottom; the tests follow the same order:

    pytest tests/test_char_word.py
"""

from collections.abc import Iterable

from g2c.tokenizer.checks import check_text


class CharTokenizer:
    """One token for each character.

    The state:

        token_to_id  dict[str, int]   symbol -> ID
        id_to_token  dict[int, str]   ID -> symbol
        unk_token    str | None       the unknown token, with ID 0, which replaces any symbol that is not in the
                                      vocabulary; if it is None, such a symbol raises an error
    """

    def __init__(self, unk_token: str | None = None) -> None:
        if unk_token is not None and (not isinstance(unk_token, str) or not unk_token):
            raise ValueError(f"unk_token must be a non-empty string such as '[UNK]', or None, but it is {unk_token!r}.")
        self.unk_token = unk_token
        self.token_to_id: dict[str, int] = {} if unk_token is None else {unk_token: 0}
        self.id_to_token: dict[int, str] = {} if unk_token is None else {0: unk_token}

    @property
    def vocab_size(self) -> int:
        """The number of symbols in the vocabulary, including the unknown token."""
        return len(self.token_to_id)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(vocab_size={self.vocab_size}, unk_token={self.unk_token!r})"

    def symbols(self, text: str) -> list[str]:
        """Split a text into its symbols. Raises TypeError or ValueError if the text is not valid.

        >>> CharTokenizer().symbols("to be")
        ['t', 'o', ' ', 'b', 'e']
        """
        check_text(text)
        return self._split(text)

    def _split(self, text: str) -> list[str]:
        """Split text into symbols, which are its characters here."""
        return list(text)

    def _join(self, symbols: list[str]) -> str:
        """Join symbols into text, with nothing between them here."""
        return "".join(symbols)

    def build_vocab(self, text: str) -> None:
        """Number the symbols that occur in `text`.

        1. Collect the different symbols of the text; `self.symbols(text)` splits it.
        2. Sort them.
        3. Number them from 0. If there is an unknown token, it has ID 0 and the others start at 1. List it only once,
           even if it also occurs in the text.
        4. Set `token_to_id` and `id_to_token`, replacing what an earlier call built.

        `text` is the corpus. If it is empty, the vocabulary has no symbols, or just the unknown token.

        >>> tokenizer = CharTokenizer(unk_token="[UNK]")
        >>> tokenizer.build_vocab("banana")
        >>> tokenizer.token_to_id
        {'[UNK]': 0, 'a': 1, 'b': 2, 'n': 3}

        The trap: the order of a set can differ from run to run. Without sorting, the same text can get different IDs in
        the next run, and saved IDs become unreadable.
        """
        raise NotImplementedError("TODO: build_vocab")

    def encode(self, text: str) -> list[int]:
        """Turn text into IDs, one for each symbol of `self.symbols(text)`.

        A symbol that is not in `token_to_id` gets the ID of the unknown token. Raises ValueError if there is no unknown
        token either. The message names the symbol.

        >>> tokenizer = CharTokenizer()
        >>> tokenizer.build_vocab("hello world")
        >>> tokenizer.encode("hello")
        [3, 2, 4, 4, 5]
        >>> tokenizer = CharTokenizer(unk_token="[UNK]")
        >>> tokenizer.build_vocab("hello")
        >>> tokenizer.encode("hallo")
        [2, 0, 3, 3, 4]

        Read: docs/04a-characters-and-words.md#what-has-no-id
        """
        raise NotImplementedError("TODO: encode")

    def decode(self, ids: Iterable[int]) -> str:
        """Turn IDs back into text: their symbols, joined by `self._join`.

        `ids` is a list, an array or an iterator. Raises ValueError if an ID is not in the vocabulary. The message names
        it.

        >>> tokenizer = CharTokenizer(unk_token="[UNK]")
        >>> tokenizer.build_vocab("hello")
        >>> tokenizer.decode([2, 1, 3, 3, 4])
        'hello'
        >>> tokenizer.decode(tokenizer.encode("hallo"))
        'h[UNK]llo'

        Read: docs/04a-characters-and-words.md#one-idea-two-tokenizers
        """
        raise NotImplementedError("TODO: decode")


class WordTokenizer(CharTokenizer):
    """One token for each word, in lowercase. Everything but the two methods below is inherited."""

    def _split(self, text: str) -> list[str]:
        """Convert text to lowercase and split it at every run of whitespace.

        >>> WordTokenizer().symbols("To be,  or\\tnot ")
        ['to', 'be,', 'or', 'not']
        >>> WordTokenizer().symbols(" \\n")
        []

        Read: docs/04a-characters-and-words.md#what-a-word-tokenizer-throws-away
        """
        raise NotImplementedError("TODO: _split")

    def _join(self, symbols: list[str]) -> str:
        """Join words into text, with one space between neighbors.

        >>> WordTokenizer()._join(["to", "be,", "or", "not"])
        'to be, or not'
        >>> WordTokenizer()._join([])
        ''

        Read: docs/04a-characters-and-words.md#what-a-word-tokenizer-throws-away
        """
        raise NotImplementedError("TODO: _join")

"""Module 04b: byte-pair encoding within words, as introduced to language processing in 2016. You complete this file.

The corpus is a dictionary of words with their frequencies. Each word is a sequence of symbols with a marker at its end:

    low 5, lower 2, lowest 1        l o w _        5 times
                                    l o w e r _    twice
                                    l o w e s t _  once

    merge l,o    8 times            lo w _         lo w e r _      lo w e s t _
    merge lo,w   8 times            low _          low e r _       low e s t _
    merge low,_  5 times            low_           low e r _       low e s t _
    merge low,e  3 times            low_           lowe r _        lowe s t _

Fill in the four TODOs from top to bottom; the tests follow the same order:

    pytest tests/test_word_bpe.py
"""

from collections import Counter  # noqa: F401 (you may count with it)
from collections.abc import Iterable, Mapping, Sequence

from g2c.tokenizer.checks import check_number, check_text, check_tokens
from g2c.tokenizer.vocabulary import SymbolPair, Symbols, Vocabulary, check_progress, join_pair, word_counts

WORD_SPECIAL_TOKENS: tuple[str, ...] = ("[PAD]", "[UNK]", "[BOS]", "[EOS]")
"""The special tokens that models used at that time, with the IDs 0 to 3."""


class WordBPETokenizer(Vocabulary):
    """BPE on words with an end-of-word marker (Sennrich, Haddow and Birch 2016).

    The state:

        merges       list[(str, str)]    pairs of symbols, in the order learned
        token_to_id  dict[str, int]      special tokens, then the characters and the marker in sorted order, then the
                                         merged symbols in the order learned
        id_to_token  dict[int, str]      the inverse of token_to_id
        special_tokens, end_of_word, unk_token, bos_token, eos_token      as given to the constructor

    With end_of_word=None, nothing marks the end of a word, and `decode` cannot restore the spaces. In a word that
    contains the marker's own characters, `decode` cannot tell them from the marker.
    """

    def __init__(
        self,
        special_tokens: Sequence[str] = WORD_SPECIAL_TOKENS,
        end_of_word: str | None = "</w>",
        *,
        unk_token: str | None = "[UNK]",
        bos_token: str | None = "[BOS]",
        eos_token: str | None = "[EOS]",
    ) -> None:
        self.special_tokens = check_tokens(special_tokens, "special token")
        self.end_of_word = end_of_word
        self.unk_token, self.bos_token, self.eos_token = unk_token, bos_token, eos_token
        self.merges: list[SymbolPair] = []
        """Pairs of symbols in the order learned."""
        self._set_tokens(self.special_tokens)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(vocab_size={self.vocab_size}, merges={len(self.merges)})"

    # --- what you write -----------------------------------------------------------------------------------------------

    def _get_pair_counts(self, words: Mapping[Symbols, int]) -> dict[SymbolPair, int]:
        """Count the pairs of neighboring symbols in all words.

        1. Start with an empty dictionary.
        2. In each word, look at each symbol together with the one after it.
        3. Add the word's frequency to the pair's count, once for each place in the word where the pair occurs. A word
           that occurs 5 times contributes each of its pairs 5 times.

        `words` is a dictionary, the symbols of a word -> the word's frequency.
        Returns a dictionary, pair -> count, in order of first appearance.

        >>> WordBPETokenizer()._get_pair_counts({("l", "o", "w"): 5, ("l", "o"): 2})
        {('l', 'o'): 7, ('o', 'w'): 5}

        The trap: no pair reaches from one word into the next.
        """
        raise NotImplementedError("TODO: _get_pair_counts")

    def learn_merge(self, words: Mapping[Symbols, int]) -> tuple[dict[Symbols, int], SymbolPair, int] | None:
        """Learn one merge: find the most frequent pair and join it in every word. Adds one entry to `merges`.

        Of several pairs with the highest count, the one seen first is joined. The given `self._merge(symbols, pair)`
        joins a pair in one word.

        `words` is a dictionary, the symbols of a word -> the word's frequency. Do not modify it.

        Returns (the words after the merge, in the same order and with the same frequencies; the pair; its count). If no
        pair is left, returns None and changes nothing.

        >>> WordBPETokenizer().learn_merge({("l", "o", "w"): 5, ("l", "o"): 2})
        ({('lo', 'w'): 5, ('lo',): 2}, ('l', 'o'), 7)
        >>> WordBPETokenizer().learn_merge({("lo", "w"): 5, ("lo", "w", "e"): 2})
        ({('low',): 5, ('low', 'e'): 2}, ('lo', 'w'), 7)

        Read: docs/04b-word-bpe.md#learning-merges
        """
        raise NotImplementedError("TODO: learn_merge")

    def _next_merge(self, symbols: Sequence[str]) -> SymbolPair | None:
        """Find the merge to apply next to a word: of its pairs that are in `merges`, the one learned first.

        `tokenize` and `trace`, which are given, join the pair that you return, and call again until you return None.

        `symbols` is a word, possibly partly merged. Returns the pair, or None if none of the word's pairs was learned.

        >>> tokenizer = WordBPETokenizer()
        >>> tokenizer.merges = [("w", "e"), ("l", "o")]
        >>> tokenizer._next_merge(("l", "o", "w", "e"))
        ('w', 'e')
        >>> tokenizer._next_merge(("lo", "we")) is None
        True

        Read: docs/04b-word-bpe.md#applying-merges
        """
        raise NotImplementedError("TODO: _next_merge")

    def encode(self, text: str, add_special_tokens: bool = False) -> list[int]:
        """Turn text into the IDs of its words' tokens.

        The given `self._words(text)` splits a text, and the given `self.tokenize(word)` a word. A token that is not in
        `token_to_id` gets the ID of `self.unk_token`.

        Args:
            text: any str. Text that looks like a special token is plain text.
            add_special_tokens: whether to put the IDs of `self.bos_token` and `self.eos_token` around the text.

        Raises ValueError if a token has no ID and the unknown token has none either, or if one of the two added tokens
        has none. The message names the token.

        >>> tokenizer = WordBPETokenizer(end_of_word="_")
        >>> learned = tokenizer.train({"low": 5, "lower": 2, "lowest": 1}, num_merges=3)
        >>> [tokenizer.id_to_token[token_id] for token_id in tokenizer.encode("lowest low", add_special_tokens=True)]
        ['[BOS]', 'low', 'e', 's', 't', '_', 'low_', '[EOS]']
        >>> [tokenizer.id_to_token[token_id] for token_id in tokenizer.encode("slow!")]
        ['s', 'low', '[UNK]', '_']

        Read: docs/04b-word-bpe.md#from-tokens-to-ids
        """
        raise NotImplementedError("TODO: encode")

    # --- given --------------------------------------------------------------------------------------------------------

    def train(self, text_or_counts: str | Mapping[str, int], num_merges: int) -> list[tuple[SymbolPair, int]]:
        """Learn merges from words with your `learn_merge`. Earlier training is discarded.

        Args:
            text_or_counts: a text, which is split at whitespace, or a dictionary word -> frequency.
            num_merges: stop after this many merges, or when no pair is left.

        Returns the merges in the order learned, each with its count at that time. Raises TypeError or ValueError if an
        argument is not valid, or if `learn_merge` learns the same pair twice in a row.

        >>> WordBPETokenizer(end_of_word="_").train({"low": 5, "lower": 2, "lowest": 1}, num_merges=4)
        [(('l', 'o'), 8), (('lo', 'w'), 8), (('low', '_'), 5), (('low', 'e'), 3)]
        """
        words = {self._symbols(word): count for word, count in word_counts(text_or_counts, self._words).items()}
        alphabet = sorted({symbol for word in words for symbol in word})
        check_number("num_merges", num_merges, at_least=0)
        self.merges = []
        self._set_tokens((*self.special_tokens, *alphabet))
        learned: list[tuple[SymbolPair, int]] = []
        while len(learned) < num_merges and (step := self.learn_merge(words)) is not None:
            words, pair, count = step
            check_progress("learn_merge", pair, learned)
            self._add_token("".join(pair))
            learned.append((pair, count))
        return learned

    def _merge(self, symbols: Sequence[str], pair: SymbolPair) -> Symbols:
        """Join each occurrence of a pair in a word, from left to right, as `_merge` of module 04 does with IDs.

        >>> WordBPETokenizer()._merge(("l", "o", "w", "l", "o"), ("l", "o"))
        ('lo', 'w', 'lo')
        """
        return join_pair(symbols, pair, "".join(pair))

    def trace(self, word: str) -> "Trace":
        """Return every state of a word as the merges are applied to it, starting with its characters.

        Raises TypeError if `word` is not a str, and ValueError if it is empty, or has whitespace or a lone surrogate.

        >>> tokenizer = WordBPETokenizer(end_of_word="_")
        >>> tokenizer.merges = [("l", "o"), ("lo", "w"), ("e", "r"), ("low", "er")]
        >>> print(tokenizer.trace("lower"))
        l o w e r _
        lo w e r _    l + o
        low e r _     lo + w
        low er _      e + r
        lower _       low + er
        """
        symbols = self._symbols(word)
        states, fired = [list(symbols)], []
        while (pair := self._next_merge(symbols)) is not None:
            shorter = self._merge(symbols, pair)
            if len(shorter) >= len(symbols):
                raise RuntimeError(f"_next_merge returned {pair!r}, but _merge found nothing to join in {symbols!r}.")
            symbols = shorter
            states.append(list(symbols))
            fired.append(pair)
        return Trace(states, fired)

    def tokenize(self, word: str) -> list[str]:
        """Split a word into tokens: the last state of its `trace`, which raises the same errors."""
        return self.trace(word)[-1]

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """Turn IDs back into text, with one space between words.

        `skip_special_tokens` leaves out special tokens, including the unknown token, which shows where a symbol was
        lost. Raises ValueError if an ID is not in the vocabulary, and names it.
        """
        words, word = [], ""
        for token in self._tokens(ids):
            if token in self.special_tokens:
                shown = "" if skip_special_tokens else token
                if token == self.unk_token:
                    # It replaces a symbol in a word; other special tokens stand between words.
                    word += shown
                else:
                    words += [word, shown]
                    word = ""
            elif self.end_of_word is not None and token.endswith(self.end_of_word):
                words.append(word + token.removesuffix(self.end_of_word))
                word = ""
            else:
                word += token
        return " ".join(filter(None, [*words, word]))

    def _words(self, text: str) -> list[str]:
        """Split a text at whitespace. Raises TypeError or ValueError if the text is not valid."""
        check_text(text)
        return text.split()

    def _symbols(self, word: str) -> Symbols:
        """Split a word into symbols: its characters, then the marker.

        >>> WordBPETokenizer(end_of_word="_")._symbols("low")
        ('l', 'o', 'w', '_')
        """
        check_text(word)
        if word.split() != [word]:
            raise ValueError(f"A word must not be empty or contain whitespace, but this one is {word!r}.")
        return (*word,) if self.end_of_word is None else (*word, self.end_of_word)


class Trace(list[list[str]]):
    """The states of a word as merges are applied to it: a list of lists of symbols, the first one unmerged.

    `merges` contains the pairs that were joined, one fewer than there are states. `str` shows one state per line.
    """

    def __init__(self, states: Iterable[list[str]], merges: Iterable[SymbolPair]) -> None:
        super().__init__(states)
        self.merges = list(merges)

    def __str__(self) -> str:
        lines = [" ".join(state) for state in self]
        width = max(map(len, lines))
        reasons = ["", *(f"{left} + {right}" for left, right in self.merges)]
        return "\n".join(f"{line:<{width}}   {reason}".rstrip() for line, reason in zip(lines, reasons, strict=True))

"""Module 04f: WordPiece, the tokenizer of BERT. You complete this file.

A symbol that continues a word begins with "##". Training joins the pair of neighboring symbols with the highest score,

    score = count(pair) / (count(left) * count(right))

so a pair wins when its halves are rare and rarely occur apart. In low 5, lower 2, lowest 1:

    l ##o ##w                    5 times      count(l, ##o)   = 8    score = 8 / (8 * 8) = 0.125
    l ##o ##w ##e ##r            twice        count(##e, ##r) = 2    score = 2 / (3 * 2) = 0.333
    l ##o ##w ##e ##s ##t        once         count(##s, ##t) = 1    score = 1 / (1 * 1) = 1        the first merge

Encoding uses only the vocabulary, not the merges.

Fill in the four TODOs from top to bottom; the tests follow the same order:

    pytest tests/test_wordpiece.py
"""

from collections import Counter  # noqa: F401 (you may count with it)
from collections.abc import Iterable, Mapping, Sequence

from g2c.tokenizer.base import warn_vocabulary_not_reached
from g2c.tokenizer.checks import check_number, check_text, check_tokens
from g2c.tokenizer.patterns import bert_words
from g2c.tokenizer.vocabulary import SymbolPair, Symbols, Vocabulary, check_progress, join_pair, word_counts

PREFIX = "##"
"""Marks a symbol that continues a word."""

BERT_SPECIAL_TOKENS: tuple[str, ...] = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The special tokens of BERT."""


class WordPieceTokenizer(Vocabulary):
    """WordPiece (Schuster and Nakajima 2012) as BERT uses it (Devlin et al. 2018).

    Args:
        vocab: the tokens in the order of their IDs, such as the lines of BERT's vocab.txt.
        unk_token: the token for a word that cannot be split into tokens of the vocabulary.
        lowercase: lowercase the text and remove accents, as BERT's uncased models do.
        max_input_chars_per_word: a word with more characters becomes `unk_token`.

    The state:

        token_to_id  dict[str, int]
        id_to_token  dict[int, str]      the inverse of token_to_id
        unk_token, lowercase, max_input_chars_per_word      as given

    Raises TypeError or ValueError if an argument is not valid, for instance if the vocabulary lacks `unk_token`.
    """

    def __init__(
        self,
        vocab: Iterable[str] = BERT_SPECIAL_TOKENS,
        *,
        unk_token: str = "[UNK]",
        lowercase: bool = True,
        max_input_chars_per_word: int = 100,
    ) -> None:
        self._set_tokens(check_tokens(vocab))
        if unk_token not in self.token_to_id:
            raise ValueError(
                f"The vocabulary has no unknown token {unk_token!r}. Add it, or name another token as unk_token."
            )
        check_number("max_input_chars_per_word", max_input_chars_per_word, at_least=1)
        self.unk_token = unk_token
        self.lowercase = lowercase
        self.max_input_chars_per_word = max_input_chars_per_word

    def __repr__(self) -> str:
        return f"{type(self).__name__}(vocab_size={self.vocab_size}, lowercase={self.lowercase})"

    # --- what you write -----------------------------------------------------------------------------------------------

    def pair_scores(self, words: Mapping[Symbols, int]) -> dict[SymbolPair, float]:
        """Compute the score of each pair of neighboring symbols.

        1. Count every symbol in all words. Each occurrence counts as often as its word: add the word's frequency.
        2. Count every pair of neighboring symbols in the same way.
        3. Divide the count of each pair by the product of its two symbols' counts. Multiply first and divide once, so
           that equal scores are also equal as floats, and ties are real ties.

        `words` is a dictionary, the symbols of a word -> the word's frequency.
        Returns a dictionary, pair -> score, in order of first appearance.

        >>> WordPieceTokenizer().pair_scores({("a", "##b"): 6, ("a", "##c"): 1, ("a",): 1})
        {('a', '##b'): 0.125, ('a', '##c'): 0.125}

        The trap: a symbol counts wherever it occurs, even at the end of a word or as the only symbol. Above, "a" occurs
        8 times, so the second score is 1 / (8 * 1).
        """
        raise NotImplementedError("TODO: pair_scores")

    def learn_piece(self, words: Mapping[Symbols, int]) -> tuple[dict[Symbols, int], SymbolPair, float] | None:
        """Learn one token: find the pair with the highest score and join it in every word.

        Of several pairs with the highest score, the one seen first is joined. Two given methods help:
        `self.join_symbols(symbols, pair)` joins a pair in one word, and `self._add_token(token)` adds a token to the
        vocabulary.

        `words` is a dictionary, the symbols of a word -> the word's frequency. Do not modify it.

        Returns (the words after the merge, in the same order and with the same frequencies; the pair; its score). If no
        pair is left, returns None and changes nothing.

        >>> tokenizer = WordPieceTokenizer()
        >>> tokenizer.learn_piece({("l", "##o"): 9, ("l", "##a", "##w"): 1})
        ({('l', '##o'): 9, ('l', '##aw'): 1}, ('##a', '##w'), 1.0)
        >>> tokenizer.id_to_token[5]
        '##aw'
        >>> tokenizer.learn_piece({("l", "##o"): 9, ("l", "##aw"): 1})
        ({('lo',): 9, ('l', '##aw'): 1}, ('l', '##o'), 0.1)

        Read: docs/04f-wordpiece.md#learning-tokens
        """
        raise NotImplementedError("TODO: learn_piece")

    def longest_match(self, word: str) -> list[str]:
        """Split a word into tokens: the longest that it begins with, then the longest that continues it, and so on.

        A token that continues a word begins with "##". If no token fits at some position, or if the word has more than
        `max_input_chars_per_word` characters, the whole word becomes the unknown token.

        `word` is one word, not empty. Returns the tokens, or [unk_token].

        >>> tokenizer = WordPieceTokenizer(["[UNK]", "un", "una", "##able", "##ble", "##s"])
        >>> tokenizer.longest_match("unables")
        ['una', '##ble', '##s']
        >>> tokenizer.longest_match("unabled")
        ['[UNK]']

        Read: docs/04f-wordpiece.md#the-longest-match
        """
        raise NotImplementedError("TODO: longest_match")

    def encode(self, text: str, add_special_tokens: bool = False) -> list[int]:
        """Turn text into the IDs of its words' tokens. The given `self._words(text)` splits it into words.

        Args:
            text: any str. Text that looks like a special token is plain text.
            add_special_tokens: whether to put [CLS]'s ID before the text and [SEP]'s after it.

        Raises ValueError if [CLS] or [SEP] is asked for and has no ID. The message names it.

        >>> tokenizer = WordPieceTokenizer(["[UNK]", "[CLS]", "[SEP]", "low", "##er", "."])
        >>> tokenizer.encode("Low, lower.")
        [3, 0, 3, 4, 5]
        >>> tokenizer.encode("Low, lower.", add_special_tokens=True)
        [1, 3, 0, 3, 4, 5, 2]

        Read: docs/04f-wordpiece.md#from-a-text-to-ids
        """
        raise NotImplementedError("TODO: encode")

    # --- given --------------------------------------------------------------------------------------------------------

    def join_symbols(self, symbols: Sequence[str], pair: SymbolPair) -> Symbols:
        """Join each occurrence of a pair in a word, from left to right; the right symbol loses its "##".

        >>> WordPieceTokenizer().join_symbols(("l", "##e", "##s", "##s"), ("##e", "##s"))
        ('l', '##es', '##s')
        """
        return join_pair(symbols, pair, pair[0] + pair[1].removeprefix(PREFIX))

    def train(
        self, text_or_counts: str | Mapping[str, int], vocab_size: int, *, min_frequency: int = 1
    ) -> list[tuple[SymbolPair, float]]:
        """Learn tokens from words with your `learn_piece`. Earlier training is discarded.

        BERT's special tokens and `unk_token` stay. If no pair is left before `vocab_size` is reached, training stops
        with a `VocabularyNotReached` warning.

        Args:
            text_or_counts: a text, which is split into words as in `encode`, or a dictionary word -> frequency.
            vocab_size: the number of tokens after training: special tokens, the symbols of single characters in sorted
                order, and the joined symbols in the order learned.
            min_frequency: ignore words that occur less often.

        Returns the merges in the order learned, each with its score at that time; two merges can produce the same
        token. Raises TypeError or ValueError if an argument is not valid, or if `learn_piece` learns the same pair
        twice in a row.

        >>> tokenizer = WordPieceTokenizer()
        >>> tokenizer.train({"low": 5, "lower": 2, "lowest": 1}, vocab_size=14)
        [(('##s', '##t'), 1.0), (('##e', '##r'), 0.3333333333333333)]
        """
        check_number("min_frequency", min_frequency, at_least=1)
        counts = word_counts(text_or_counts, self._words)
        words = {
            (word[0], *(PREFIX + character for character in word[1:])): count
            for word, count in counts.items()
            if count >= min_frequency
        }
        special = [token for token in self.token_to_id if token in (*BERT_SPECIAL_TOKENS, self.unk_token)]
        alphabet = sorted({symbol for word in words for symbol in word} - set(special))
        check_number("vocab_size", vocab_size, at_least=len(special) + len(alphabet))
        self._set_tokens([*special, *alphabet])
        learned: list[tuple[SymbolPair, float]] = []
        while self.vocab_size < vocab_size and (step := self.learn_piece(words)) is not None:
            words, pair, score = step
            check_progress("learn_piece", pair, learned)
            learned.append((pair, score))
        if self.vocab_size < vocab_size:
            warn_vocabulary_not_reached(self.vocab_size, vocab_size)
        return learned

    def decode(self, ids: Iterable[int], skip_special_tokens: bool = False) -> str:
        """Turn IDs back into text, with one space between words. The original spaces, capitals and accents are lost.

        `skip_special_tokens` leaves out BERT's special tokens and `unk_token`. Raises ValueError if an ID is not in the
        vocabulary, and names it.

        >>> WordPieceTokenizer(["[UNK]", "low", "##er", "."]).decode([1, 2, 3, 0])
        'lower . [UNK]'
        """
        text = ""
        for token in self._tokens(ids):
            if not (skip_special_tokens and token in (*BERT_SPECIAL_TOKENS, self.unk_token)):
                text += token.removeprefix(PREFIX) if text and token.startswith(PREFIX) else f" {token}"
        return text.removeprefix(" ")

    def _words(self, text: str) -> list[str]:
        """Clean a text and split it into words, as BERT does. Raises what `check_text` raises.

        >>> WordPieceTokenizer()._words("Café, don't!")
        ['cafe', ',', 'don', "'", 't', '!']
        """
        check_text(text)
        return bert_words(text, self.lowercase)

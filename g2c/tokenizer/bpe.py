"""Module 04: a byte-level BPE tokenizer. You complete this file.

BPE starts with one token per byte, and repeatedly merges the most frequent pair of neighbors into a new token:

    "the the the"       t h e _ t h e _ t h e          11 tokens
    merge t,h -> 256    256 e _ 256 e _ 256 e           8
    merge 256,e -> 257  257 _ 257 _ 257                 5
    merge 257,_ -> 258  258 258 257                     3

Fill in the five TODOs from top to bottom; the tests follow the same order:

    pytest tests/test_tokenizer.py
"""

from collections.abc import Collection

from g2c.tokenizer.base import BOUNDARY, BPEBase, Pair  # noqa: F401 (BOUNDARY is for your train_step)


class BPETokenizer(BPEBase):
    """Byte-level byte-pair encoding (Gage 1994; Sennrich, Haddow and Birch 2016; on bytes: Radford et al. 2019).

    The state, set up by the inherited constructor:

        merges          dict[Pair, int]    pair of IDs, a tuple -> ID of the token made from it, in the order learned
        vocab           dict[int, bytes]   ID -> the token's bytes
        special_tokens  tuple[str, ...]    control tokens, such as "<|endoftext|>"
        special_to_id, id_to_special       the same as dictionaries; special_token_ids is the set of their IDs
        pattern         str | None         regex that splits text into pieces before BPE; None keeps the text whole

    The IDs:

        0 ... 255                   the byte of that value
        256 ... 255 + k             the k special tokens
        base_vocab_size = 256 + k   the first learned merge, then one more ID for each merge
    """

    def _get_pair_counts(self, ids: list[int], *, barrier_ids: Collection[int] | None = None) -> dict[Pair, int]:
        """Count how often each pair of neighbors occurs in `ids`.

        1. Start with an empty dictionary.
        2. Look at each ID together with the one after it, from left to right.
        3. Skip the pair if either of the two is in `barrier_ids`.
        4. Otherwise add 1 to that pair's count.

        Args:
            ids: token IDs.
            barrier_ids: IDs that no pair may contain, such as those of special tokens; None means no barriers.

        Returns a dictionary, pair -> count, in order of first appearance; empty if there is no pair.

        >>> BPETokenizer()._get_pair_counts([1, 2, 3, 1, 2])
        {(1, 2): 2, (2, 3): 1, (3, 1): 1}
        >>> BPETokenizer()._get_pair_counts([1, 2, 9, 1, 2], barrier_ids={9})
        {(1, 2): 2}

        The trap: n IDs have n - 1 pairs of neighbors. The last ID has no neighbor to its right, and a single ID has no
        pair at all.
        """
        raise NotImplementedError("TODO: _get_pair_counts")

    def _merge(self, ids: list[int], pair: Pair, new_id: int) -> list[int]:
        """Replace each occurrence of `pair` in `ids` with `new_id`, from left to right.

        1. Start with an empty list, at the first ID.
        2. If there is a next ID, and this one and the next are the pair, append `new_id` and advance by two.
        3. Otherwise, append this ID and advance by one.
        4. Continue until no ID is left.

        Args:
            ids: token IDs. Do not modify this list.
            pair: the two neighboring IDs to replace.
            new_id: the ID that replaces them.

        Returns a new list.

        >>> BPETokenizer()._merge([5, 1, 2, 7, 1, 2], (1, 2), 99)
        [5, 99, 7, 99]
        >>> BPETokenizer()._merge([1, 1, 1], (1, 1), 99)
        [99, 1]

        The trap: an ID can be part of only one replaced pair. In [1, 1, 1], the pair (1, 1) occurs at two places that
        share the middle 1, so only the left one is replaced.
        """
        raise NotImplementedError("TODO: _merge")

    def train_step(self, ids: list[int], new_id: int) -> tuple[list[int], Pair, int] | None:
        """Learn one merge: make the most frequent pair of neighbors a token, and replace it everywhere.

        Of several pairs with the highest count, the one seen first becomes the token. No pair contains a special token
        or `BOUNDARY`, which `train` puts between two pieces of text. Adds one entry to `merges` and one to `vocab`.

        Args:
            ids: the corpus as token IDs. Do not modify this list.
            new_id: the ID for the new token. If there are special tokens, the first new ID is not 256.

        Returns (the new IDs, the pair, its count). If no pair is left, returns None and changes nothing.

        >>> tokenizer = BPETokenizer()
        >>> tokenizer.train_step([116, 104, 101, 32, 116, 104, 101], 256)
        ([256, 101, 32, 256, 101], (116, 104), 2)
        >>> tokenizer.train_step([256, 101, BOUNDARY, 256, 101], 257)
        ([257, -1, 257], (256, 101), 2)
        >>> tokenizer.merges, tokenizer.vocab[257]
        ({(116, 104): 256, (256, 101): 257}, b'the')

        Read: docs/04-tokenizer.md#special-tokens and docs/04-tokenizer.md#pre-tokenization
        """
        raise NotImplementedError("TODO: train_step")

    def encode(self, text: str) -> list[int]:
        """Turn text into token IDs with the learned merges.

        The given `self._pieces(text)` splits the text at special tokens and by the pattern. It yields an int for a
        finished ID, such as a special token's, and bytes for any other piece, in which you merge. Of the merges that
        apply, the next is always the one learned first: the one with the lowest new ID, no matter where it stands in
        the dictionary.

        `text` is any str. Returns token IDs. `decode` turns them back into the text.

        >>> tokenizer = BPETokenizer(["<|end|>"])
        >>> tokenizer.merges = {(104, 101): 257, (116, 104): 258}
        >>> tokenizer.encode("the"), tokenizer.encode("th<|end|>")
        ([116, 257], [258, 256])

        Read: docs/04-tokenizer.md#encoding-and-decoding
        """
        raise NotImplementedError("TODO: encode")

    def decode(self, ids: Collection[int]) -> str:
        """Turn token IDs back into text: the bytes of all tokens, decoded as UTF-8.

        Invalid bytes become the replacement character: a model's output can stop in the middle of a character, and that
        is not an error. Special tokens are in `vocab`, too.

        `ids` is a list or an array of token IDs. Raises ValueError if an ID is not in `vocab`. The message names it.

        >>> BPETokenizer().decode([72, 105, 32, 240, 159, 145, 139])
        'Hi 👋'
        >>> BPETokenizer().decode([72, 240, 159])
        'H\ufffd'

        Read: docs/04-tokenizer.md#encoding-and-decoding
        """
        raise NotImplementedError("TODO: decode")

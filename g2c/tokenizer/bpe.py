"""Module 04: a byte-level BPE tokenizer. This is the file that you complete.

BPE learns which neighbours belong together. It starts with one token for each byte and, again and again, gives the most
frequent pair of neighbours a token of its own:

    "the the the"       t h e _ t h e _ t h e          11 tokens
    merge t,h -> 256    256 e _ 256 e _ 256 e           8
    merge 256,e -> 257  257 _ 257 _ 257                 5
    merge 257,_ -> 258  258 258 257                     3

Fill in the five TODOs from top to bottom; the tests follow the same order:

    pytest tests/test_tokenizer.py
"""

from collections.abc import Collection, Iterable

from g2c.tokenizer.base import BPEBase

Pair = tuple[int, int]


class BPETokenizer(BPEBase):
    """Byte-level byte-pair encoding (Gage 1994; Sennrich, Haddow and Birch 2016; on bytes: Radford et al. 2019).

    The state, made by the constructor that you inherit:

        merges          dict[(int, int), int]   pair of IDs -> ID of the token made from it, in the order learned
        vocab           dict[int, bytes]        ID -> the bytes that it stands for
        special_tokens  tuple[str, ...]         control tokens, such as "<|endoftext|>"
        special_to_id, id_to_special            the same as dictionaries; special_token_ids is the set of their IDs
        pattern         str | None              regex that cuts text into pieces before BPE; None: text stays whole

    and who has which ID:

        0 ... 255                   the byte of that value
        256 ... 255 + k             the k special tokens
        base_vocab_size = 256 + k   the first learned merge, then one more ID for each merge
    """

    def _get_pair_counts(self, ids: list[int], *, barrier_ids: Collection[int] | None = None) -> dict[Pair, int]:
        """Count how often each pair of neighbours occurs in `ids`.

        1. Start with an empty dictionary.
        2. Look at each ID together with the one after it, from left to right.
        3. Skip the pair when either of the two is in `barrier_ids`.
        4. Otherwise add 1 to that pair's count.

        Args:
            ids: token IDs.
            barrier_ids: IDs that no pair may contain, such as those of special tokens. None: there are none.

        Returns:
            pair -> count, in the order in which the pairs first appear. Empty when there is no pair.

        >>> from g2c.tokenizer import BPETokenizer
        >>> BPETokenizer()._get_pair_counts([1, 2, 3, 1, 2])
        {(1, 2): 2, (2, 3): 1, (3, 1): 1}
        >>> BPETokenizer()._get_pair_counts([1, 2, 9, 1, 2], barrier_ids={9})
        {(1, 2): 2}

        The trap: n IDs have n - 1 pairs of neighbours. The last ID has nobody after it, and one ID alone has no pair.
        """
        raise NotImplementedError("TODO: _get_pair_counts")

    def _merge(self, ids: list[int], pair: Pair, new_id: int) -> list[int]:
        """Replace each occurrence of `pair` in `ids` by `new_id`, from left to right.

        1. Start with an empty list and stand at the first ID.
        2. When this ID and the next one are the pair: append `new_id` and move on by two.
        3. Otherwise: append this ID and move on by one.
        4. Go on until every ID has been passed.

        Args:
            ids: token IDs. The list stays as it is.
            pair: the two neighbouring IDs to replace.
            new_id: the ID to put in their place.

        Returns:
            a new list.

        >>> from g2c.tokenizer import BPETokenizer
        >>> BPETokenizer()._merge([5, 1, 2, 7, 1, 2], (1, 2), 99)
        [5, 99, 7, 99]
        >>> BPETokenizer()._merge([1, 1, 1], (1, 1), 99)
        [99, 1]

        The trap: an ID that has gone into one pair is used up. In [1, 1, 1] the pair (1, 1) stands at two places, but
        they share the middle 1, so only the left one is replaced. Mind the last ID too: it has no neighbour to look at.
        """
        raise NotImplementedError("TODO: _merge")

    def train_step(self, ids: list[int], new_id: int) -> tuple[list[int], Pair, int] | None:
        """Learn one merge: find the most frequent pair, make it a token, and replace it everywhere.

        1. Count the pairs. The barriers are `self.special_token_ids` and `BOUNDARY`: the IDs of special tokens, and
           the mark that `train` puts between two pieces of text. Nothing may be merged across either.
        2. When there is no pair, return None and change nothing.
        3. Take the pair with the highest count; among equals the one seen first.
        4. Enter it: `merges` gets the pair with `new_id`, `vocab` gets `new_id` with its bytes, which are the bytes of
           the pair's first ID followed by the bytes of its second.
        5. Replace the pair in `ids`.

        Args:
            ids: the corpus as token IDs. The list stays as it is.
            new_id: the ID for the new token.

        Returns:
            (the new IDs, the pair, how often it was counted), or None when no pair is left.

        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer()
        >>> tokenizer.train_step([116, 104, 101, 32, 116, 104, 101], 256)
        ([256, 101, 32, 256, 101], (116, 104), 2)
        >>> tokenizer.merges, tokenizer.vocab[256]
        ({(116, 104): 256}, b'th')

        The trap: add to `merges` and `vocab`, do not replace them: what was learned before must stay. And use `new_id`
        as it is given. With special tokens the first one is not 256.
        """
        raise NotImplementedError("TODO: train_step")

    def encode(self, text: str) -> list[int]:
        """Turn text into token IDs with the merges that have been learned.

        1. Go through `self._pieces(text)`, which is given. An int is the ID of a special token: append it.
        2. Any other piece is bytes. Start with one ID for each byte: `list(piece)`.
        3. Look at all pairs of neighbours in the piece, and take the one that was learned first: of those in `merges`,
           the one with the lowest new ID.
        4. When none of them is in `merges`, the piece is done: append its IDs. Otherwise replace the pair and go back
           to step 3.

        Args:
            text: any str. Special tokens in it become their one ID.

        Returns:
            token IDs. `decode` gives the text back.

        Raises:
            TypeError, ValueError: `_pieces` raises them for what is not valid text.

        >>> from g2c.tokenizer import BPETokenizer
        >>> tokenizer = BPETokenizer()
        >>> tokenizer.merges = {(104, 101): 256, (116, 104): 257}
        >>> tokenizer.encode("the")
        [116, 256]

        In "the" both t,h and h,e are in `merges`. Left to right would merge t,h; but h,e was learned first and wins.

        The trap: the loop must end. When no pair of neighbours is in `merges`, stop; and a piece of one byte has no
        pair at all.
        """
        raise NotImplementedError("TODO: encode")

    def decode(self, ids: Iterable[int]) -> str:
        """Turn token IDs back into text.

        1. Look up the bytes of each ID in `vocab`. Special tokens are there too.
        2. Join the bytes of all IDs.
        3. Decode the whole as UTF-8, with the replacement character in place of bytes that are not valid.

        Args:
            ids: token IDs, in a list or an array.

        Returns:
            the text.

        Raises:
            ValueError: an ID that is not in `vocab`. The message names it.

        >>> from g2c.tokenizer import BPETokenizer
        >>> BPETokenizer().decode([72, 105, 32, 240, 159, 145, 139])
        'Hi 👋'
        >>> BPETokenizer().decode([72, 240, 159])
        'H\ufffd'

        The trap: one character can need up to four bytes, and they may be spread over several tokens. Join first and
        decode once. Model output can also stop in the middle of a character; that must not raise.
        """
        raise NotImplementedError("TODO: decode")

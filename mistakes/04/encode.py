"""Wrong solutions of BPETokenizer.encode."""

from coach.diagnosis.bank import mistake
from g2c.solutions.bpe import BPETokenizer as AnswerKey

KNOWN = "while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]:"
LOWEST = "pair = min(known, key=self.merges.get)"
MERGE = "piece_ids = self._merge(piece_ids, pair, self.merges[pair])"
LOOP = f"{KNOWN}\n            {LOWEST}\n            {MERGE}"
LOWEST_OR_UNKNOWN = 'pair = min(zip(piece_ids, piece_ids[1:]), key=lambda pair: self.merges.get(pair, float("inf")))'


@mistake(
    "merging across pieces",
    why="Merge within each piece of self._pieces, and join the IDs afterward.",
    pitfall="barriers",
)
def encode_across_pieces(self, text):
    """A merge fits wherever its two IDs are neighbors."""
    ids = []
    for piece in self._pieces(text):
        ids += [piece] if isinstance(piece, int) else list(piece)
    while known := [pair for pair in zip(ids, ids[1:]) if pair in self.merges]:
        pair = min(known, key=self.merges.get)
        ids = self._merge(ids, pair, self.merges[pair])
    return ids


@mistake(
    "the last two IDs of a piece are not merged",
    why="Two IDs are a pair: continue as long as there is one that is in self.merges.",
    pitfall="merge-order",
    has="len(X) > 2 or len(X) >= 3 or 2 < len(X)",
    change={
        KNOWN: KNOWN.replace("while ", "while len(piece_ids) > 2 and (").replace("self.merges]:", "self.merges]):")
    },
)
def encode_leaves_two():
    """With two IDs left, the piece is done."""


@mistake(
    "a pair that is not in merges comes first",
    why="min takes the lowest value: for a pair without a merge, get must return more than any ID, such as math.inf.",
    pitfall="merge-order",
    has="X.get(Y, 0) or X.get(Y, -1)",
    change={
        KNOWN: "while len(piece_ids) >= 2:",
        LOWEST: "pair = min(zip(piece_ids, piece_ids[1:]), key=lambda pair: self.merges.get(pair, 0))\n"
        "if pair not in self.merges:\n    break",
    },
)
def encode_zero_for_unknown():
    """A pair without a merge has the ID 0."""


@mistake(
    "encoding ends at the first merge that does not fit",
    why="Another merge may still fit: go on with the next one.",
    pitfall="merge-order",
    has="in a loop: break",
    change={
        KNOWN: "for pair in sorted(self.merges, key=self.merges.get):",
        LOWEST: "if pair not in zip(piece_ids, piece_ids[1:]):\n    break",
    },
)
def encode_breaks_off():
    """I go through the merges in the order learned, as long as they fit."""


@mistake(
    "a special token that is not in the text is added",
    why="A caller who wants one writes it into the text.",
    pitfall="special-tokens",
    change={"return ids": "return ids + sorted(self.special_token_ids)[:1]"},
)
def encode_adds_the_end():
    """A text ends with the end token."""


@mistake(
    "encode changes the tokenizer",
    why="Encoding only reads merges and vocab; work on copies.",
    pitfall="replaced-dictionaries",
    change={MERGE: "piece_ids = self._merge(piece_ids, pair, self.merges.pop(pair))"},
)
def encode_changes_merges():
    """A merge that has been applied is done, so I take it off the list."""


@mistake(
    "characters are encoded one by one",
    why="A piece is one sequence of bytes, and merges reach across characters.",
    pitfall="merge-order",
    change={LOOP: "piece_ids = [one for character in piece.decode() for one in AnswerKey.encode(self, character)]"},
)
def encode_character_by_character():
    """Text is made of characters, so I encode one after the other."""


@mistake(
    "str where IDs belong",
    why="Start from bytes: list(piece) gives their values as integers.",
    pitfall="str-for-bytes",
    change={"list(piece)": "list(piece.decode())"},
)
def encode_characters():
    """list(text) cuts the text into its smallest parts."""


@mistake(
    "code points instead of bytes",
    why="ord gives a code point, which may exceed 255: start from the UTF-8 bytes.",
    pitfall="str-for-bytes",
    change={"list(piece)": "[ord(character) for character in piece.decode()]"},
)
def encode_code_points():
    """Every character has a number: ord."""


@mistake(
    "merges are looked for from 256 on",
    why="With special tokens the first merge has a higher ID: take the IDs from self.merges.",
    pitfall="id-offset",
    change={
        LOOP: "for new_id in range(256, 256 + len(self.merges)):\n    for pair in [pair for pair, made in self.merges.items() if made == new_id]:\n        piece_ids = self._merge(piece_ids, pair, new_id)"
    },
)
def encode_counts_from_256():
    """Learned tokens begin at 256, and I go through them in order."""


@mistake(
    "the text is split at spaces",
    why="Only self._pieces splits the text, and without a pattern it does not split at all.",
    pitfall="barriers",
)
def encode_cuts_at_spaces(self, text):
    """Tokens are parts of words, so I go word by word."""
    ids = []
    for number, word in enumerate(text.split(" ")):
        ids += AnswerKey.encode(self, (" " if number else "") + word)
    return ids


@mistake(
    "encode never returns",
    why="Each iteration must bring the loop closer to its end, and the loop must end when nothing is left to do.",
    pitfall="endless-encode",
    change={
        KNOWN: "while len(piece_ids) >= 2:",
        LOWEST: LOWEST_OR_UNKNOWN,
        MERGE: f"if pair in self.merges:\n    {MERGE}",
    },
)
def encode_endless():
    """As long as there are two IDs left there may be a pair to merge."""


@mistake(
    "only one of the pieces is returned",
    why="Collect the IDs of all pieces in one list, and return it after the loop.",
    pitfall="barriers",
    change=[
        {"ids.append(piece)": "return ids + [piece]", "ids.extend(piece_ids)": "return ids + piece_ids"},
        {"ids.extend(piece_ids)": "ids = piece_ids"},
    ],
)
def encode_first_piece_only():
    """For each piece I work out its IDs, and return them."""


@mistake(
    "merges are applied from the end of the text",
    why="The pair that was learned first goes first, wherever it is: the lowest new ID.",
    pitfall="merge-order",
    change={LOWEST: "pair = known[-1]"},
)
def encode_from_the_end():
    """I work from the back, so that positions before it stay valid."""


@mistake(
    "of two equal pairs the right one is merged first",
    why="In [1, 1, 1] the two on the left become one: keep the first place with the lowest ID, as < does.",
    pitfall="overlap",
)
def encode_last_place_first(self, text):
    """With <= I keep the lowest new ID so far."""
    ids = []
    for piece in self._pieces(text):
        row = [piece] if isinstance(piece, int) else list(piece)
        while known := {
            place: self.merges.get(pair) for place, pair in enumerate(zip(row, row[1:])) if pair in self.merges
        }:
            place = min(reversed(known), key=known.get)
            row[place : place + 2] = [known[place]]
        ids += row
    return ids


@mistake(
    "the stored list itself is returned",
    why="The caller may change its list, and with it what is stored: return a copy.",
    pitfall="mutated-argument",
)
def encode_gives_its_own_list(self, text):
    """The same text gives the same IDs, so I keep them in a dictionary."""
    answers = self.__dict__.setdefault("answers", {})
    key = text, len(self.merges), len(self.special_tokens)
    if key not in answers:
        answers[key] = AnswerKey.encode(self, text)
    return answers[key]


@mistake(
    "the highest ID goes first",
    why="The pair that was learned first has the lowest new ID: take min, not max.",
    pitfall="merge-order",
    has="max(...) or sorted(...) or X.sort(...)",
    change={LOWEST: "pair = max(known, key=self.merges.get)"},
)
def encode_highest_first():
    """Later merges are longer, so I apply the highest ID first."""


@mistake(
    "the position in merges decides",
    why="The lowest new ID was learned first; merges may be in another order.",
    pitfall="merge-order",
    change={
        KNOWN: "for pair in self.merges:",
        LOWEST: "",
    },
)
def encode_insertion_order():
    """merges is in the order learned, so I go through it from its beginning."""


@mistake(
    "neighbors are joined because their bytes together are a token",
    why="A token is made by the pair it was learned from: look the pair of IDs up in merges, not its bytes in vocab.",
    pitfall="merge-order",
)
def encode_joined_bytes(self, text):
    """As in tiktoken: two parts are joined if their bytes together are a token, the one with the lowest ID first."""
    ranks = {token: token_id for token_id, token in self.vocab.items() if token_id not in self.special_token_ids}
    ids = []
    for piece in self._pieces(text):
        if isinstance(piece, int):
            ids.append(piece)
            continue
        parts = [bytes([byte]) for byte in piece]
        while known := [i for i in range(len(parts) - 1) if parts[i] + parts[i + 1] in ranks]:
            place = min(known, key=lambda i: ranks[parts[i] + parts[i + 1]])
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        ids.extend(ranks[part] for part in parts)
    return ids


@mistake(
    "repeated whitespace is removed first",
    why="Decoding must restore the text exactly: encode it unchanged.",
    pitfall="changed-text",
    change={"_pieces(text)": '_pieces(" ".join(text.split()))'},
)
def encode_joins_spaces():
    """Several spaces are as good as one."""


@mistake(
    "line endings are changed first",
    why="Decoding must restore the text exactly: encode it unchanged.",
    pitfall="changed-text",
    has="X.splitlines(...) or X.split(...) or X.replace(...)",
    change={"_pieces(text)": '_pieces("\\n".join(text.splitlines()))'},
)
def encode_line_ends():
    """I go through the text line by line."""


@mistake(
    "the second ID of a match stays",
    why="The new ID stands for both: call self._merge, which removes the second one.",
    pitfall="overlap",
)
def encode_keeps_the_second(self, text):
    """Where a pair begins I write the new ID in its place, and go on after the pair."""
    ids = []
    for piece in self._pieces(text):
        if isinstance(piece, int):
            ids.append(piece)
            continue
        piece_ids = list(piece)
        for pair, new_id in self.merges.items():
            position = 0
            while position < len(piece_ids) - 1:
                if (piece_ids[position], piece_ids[position + 1]) == pair:
                    piece_ids[position] = new_id
                    position += 1
                position += 1
        ids += piece_ids
    return ids


@mistake(
    "a list of lists is returned",
    why="Add a piece's IDs with extend: append adds the list itself.",
    pitfall="barriers",
    change={"ids.extend(piece_ids)": "ids.append(piece_ids)"},
)
def encode_list_of_lists():
    """I append what comes out of each piece."""


@mistake(
    "the longest token goes first",
    why="BPE does not look for the longest token; it applies the merges in the order in which they were learned.",
    pitfall="merge-order",
    has="nowhere: bytes([X])",
)
def encode_longest_token(self, text):
    """I look for the longest token that the rest of the text begins with."""
    by_bytes = {token: token_id for token_id, token in self.vocab.items() if token_id not in self.special_token_ids}
    ids = []
    for piece in self._pieces(text):
        if isinstance(piece, int):
            ids.append(piece)
            continue
        while piece:
            length = max(length for length in range(1, len(piece) + 1) if piece[:length] in by_bytes)
            ids.append(by_bytes[piece[:length]])
            piece = piece[length:]
    return ids


@mistake(
    "the text is lowercased first",
    why="Decoding must restore the text exactly: encode it unchanged.",
    pitfall="changed-text",
    change={"_pieces(text)": "_pieces(text.lower())"},
)
def encode_lower_case():
    """ "The" and "the" are the same word."""


@mistake(
    "a piece without a pair is not handled",
    why="A single byte has no neighbor and therefore no pair: end the loop before calling min.",
    pitfall="endless-encode",
    change={KNOWN: "while True:", LOWEST: f"{LOWEST_OR_UNKNOWN}\nif pair not in self.merges:\n    break"},
)
def encode_min_of_nothing():
    """I take the pair with the lowest ID, and stop when it is not in merges."""


@mistake(
    "the most frequent pair of the text goes first",
    why="Frequency matters in training. Encoding follows the order in which the merges were learned.",
    pitfall="merge-order",
    change={LOWEST: "pair = max(known, key=known.count)"},
)
def encode_most_frequent():
    """In training the most frequent pair goes first, and encoding does the same."""


@mistake(
    "a text of whitespace alone is lost",
    why="Decoding must restore the text exactly: only the empty text has no IDs.",
    pitfall="changed-text",
    change={"ids = []": "ids = []\nif not text.strip():\n    return ids"},
)
def encode_nothing_but_spaces():
    """A text without words has no tokens."""


@mistake(
    "the text is normalized first",
    why="Decoding must restore the text exactly: encode it unchanged.",
    pitfall="changed-text",
    change=[
        {"ids = []": f"import unicodedata\n\nids = []\ntext = unicodedata.normalize({form!r}, text)"}
        for form in ("NFC", "NFD")
    ],
)
def encode_normalizes():
    """Unicode text should be normalized before anything else."""


@mistake(
    "only one merge is applied",
    why="After a replacement look again: the new ID may be half of another known pair.",
    pitfall="merge-order",
    has="nowhere: while True: ... or while len(X) > A: ... or while len(X) >= A: ... or while (X := Y): ... or max(...)",
    change={"while known := [": "if known := ["},
)
def encode_once():
    """I find the pair with the lowest ID and replace it everywhere."""


@mistake(
    "a pair is replaced at one place only",
    why="Replace it everywhere in the piece, or look for it again.",
    pitfall="merge-order",
    change={
        KNOWN: "for pair, new_id in self.merges.items():",
        LOWEST: "pairs = [*zip(piece_ids, piece_ids[1:])]",
        MERGE: "if pair in pairs:\n    piece_ids[pairs.index(pair) : pairs.index(pair) + 2] = [new_id]",
    },
)
def encode_one_place():
    """For each merge, in the order learned, I look for its pair and replace it."""


@mistake(
    "merging a pair that was never learned",
    why="When no pair of the piece is in merges, the piece is done: stop there.",
    pitfall="endless-encode",
    change={KNOWN: "while len(piece_ids) >= 2:", LOWEST: LOWEST_OR_UNKNOWN},
)
def encode_pair_not_learned():
    """min with infinity for unknown pairs gives the lowest ID; then I merge it."""


@mistake(
    "the merge learned first counts as not learned",
    why="Its rank is 0, and 0 is false in Python: write ranks.get(pair, large).",
    pitfall="merge-order",
    change={
        KNOWN: "ranks = {pair: rank for rank, pair in enumerate(sorted(self.merges, key=self.merges.get))}\nwhile len(piece_ids) > 1:",
        LOWEST: "pair = min(zip(piece_ids, piece_ids[1:]), key=lambda pair: ranks.get(pair) or 10**9)\nif pair not in ranks:\n    break",
    },
)
def encode_rank_zero_is_false():
    """ranks.get(pair) or a large number is the rank, and pairs that were not learned come last."""


@mistake(
    "special tokens are left out",
    why="self._pieces yields an int for each special token: append it.",
    pitfall="special-tokens",
    has="nowhere: X.append(piece)",
    change={"ids.append(piece)": ""},
)
def encode_skips_special():
    """Special tokens are not bytes, so there is nothing to encode."""


@mistake(
    "the pair with the lowest IDs goes first",
    why="min compares the pairs themselves. Compare the IDs that they make: key=self.merges.get.",
    pitfall="merge-order",
    change={LOWEST: "pair = min(known)"},
)
def encode_smallest_pair():
    """min of the known pairs is the lowest one."""


@mistake(
    "a special token's ID is treated as bytes",
    why="self._pieces yields ints as well as bytes: append the ints, and merge only the bytes.",
    pitfall="special-tokens",
    change={"if isinstance(piece, int):": "if False:"},
)
def encode_special_as_piece():
    """Each piece consists of bytes, so I make a list of it."""


@mistake(
    "a special token is encoded as plain text",
    why="self._pieces yields its ID, an int: append that.",
    pitfall="special-tokens",
    change={"for piece in self._pieces(text):": "list(self._pieces(text))\nfor piece in [text.encode()]:"},
)
def encode_special_as_text():
    """Text is bytes; I start from text.encode()."""


@mistake(
    "special tokens are in the wrong place",
    why="Append each ID when its piece comes, in the order of the pieces.",
    pitfall="special-tokens",
    change={"ids = []": "ids = [one for one in self._pieces(text) if isinstance(one, int)]", "ids.append(piece)": ""},
)
def encode_special_at_the_front():
    """Special tokens are something other than text, so I collect them first."""


@mistake(
    "whitespace at the ends is removed first",
    why="Decoding must restore the text exactly: encode it unchanged.",
    pitfall="changed-text",
    has="X.strip(...) or X.rstrip(...)",
    change={"_pieces(text)": "_pieces(text.strip())"},
)
def encode_strips():
    """Spaces at the ends mean nothing, so I take them off."""


@mistake(
    "the length of the tokens decides which pair is merged",
    why="The pair that was learned first goes first, whatever its length: min(known, key=self.merges.get).",
    pitfall="merge-order",
    change=[
        {LOWEST: f"pair = {choose}(known, key=lambda pair: len(self.vocab[self.merges[pair]]))"}
        for choose in ("min", "max")
    ],
    has="len(...)",
)
def encode_by_length():
    """Short tokens were learned before long ones."""


@mistake(
    "merges are applied in text order",
    why="The pair that was learned first goes first, wherever it is: the lowest new ID.",
    pitfall="merge-order",
    has="nowhere: min(...) or sorted(...)",
    change=[
        {LOWEST: "pair = known[0]"},
        {
            "list(piece)": "[]",
            LOOP: "for byte in piece:\n    piece_ids.append(byte)\n    while tuple(piece_ids[-2:]) in self.merges:\n        piece_ids[-2:] = [self.merges[tuple(piece_ids[-2:])]]",
        },
    ],
)
def encode_text_order():
    """I go through the text from left to right and merge every pair that I know."""


@mistake(
    "a piece that is a token is not merged",
    why="The merges need not lead to that token: one learned earlier can take a byte from it. Always merge.",
    pitfall="merge-order",
    change={
        "for piece in": "id_of = {token: token_id for token_id, token in self.vocab.items()}\nfor piece in",
        "list(piece)": "[id_of[piece]] if piece in id_of else list(piece)",
    },
)
def encode_whole_piece_looked_up():
    """A piece that is a token already has nothing left to merge, and looking it up is faster."""


@mistake(
    "the text is used before self._pieces has seen it",
    why="self._pieces checks the text, cuts it and finds special tokens: go through the pieces that it yields.",
    pitfall="special-tokens",
    change={"self._pieces(text)": "[text.encode()]", KNOWN: "for pair in self.merges:", LOWEST: ""},
)
def encode_whole_text_as_bytes():
    """text.encode gives me the bytes, and that is all I need."""


@mistake(
    "no merge is applied",
    why="Look for neighbors that are in self.merges, and replace them.",
    pitfall="merge-order",
    change={"if pair in self.merges]:": "if False]:"},
)
def encode_without_merges():
    """Text becomes bytes, and bytes are numbers."""


@mistake(
    "encode learns new merges",
    why="train_step adds to merges. Encoding applies those that are there: min by merges.get, then _merge.",
    pitfall="merge-order",
    change={LOOP: "while step := self.train_step(piece_ids, self.vocab_size):\n    piece_ids = step[0]"},
)
def encode_with_train_step():
    """train_step finds the pair and merges it, so I call it until there is no pair left."""


@mistake(
    "encode returns when the first piece is done",
    why="If no merge is left, this piece is done and the next one follows: use break, not return.",
    pitfall="special-tokens",
    change=[{"ids.extend(piece_ids)": f"return {ids}"} for ids in ("ids", "piece_ids", "ids + piece_ids")],
    has="in a loop: return X",
)
def encode_returns_for_break():
    """When no pair is left, I return the result."""


@mistake(
    "the last special token comes twice",
    why="Its ID is appended once, where its piece comes.",
    pitfall="special-tokens",
    change={"return ids": "return ids + ids[-1:] if ids and ids[-1] in self.special_token_ids else ids"},
)
def encode_last_special_token_twice():
    """After the loop I append what is left over."""


@mistake(
    "pairs that result from a merge are not looked for",
    why="A new ID may be half of another known pair: collect the known pairs again after each replacement.",
    pitfall="merge-order",
    change={
        LOOP: f"known = {{*zip(piece_ids, piece_ids[1:])}} & {{*self.merges}}\nfor pair in sorted(known, key=self.merges.get):\n    {MERGE}"
    },
)
def encode_collects_pairs_once():
    """I find all known pairs, sort them by the new ID, and replace them in that order."""


@mistake(
    "only special tokens are taken as finished IDs",
    why="self._pieces yields an int only for a finished ID: append each, whatever it is.",
    pitfall="special-tokens",
    change={"isinstance(piece, int)": "isinstance(piece, int) and piece in self.special_token_ids"},
)
def encode_checks_for_special_tokens():
    """An int is a special token if it is one of their IDs."""


@mistake(
    "a piece of one byte is left out",
    why="It has no pair, but it belongs to the text: append its ID.",
    pitfall="special-tokens",
    change={"piece_ids = list(piece)": "piece_ids = list(piece)\nif len(piece_ids) < 2:\n    continue"},
)
def encode_skips_short_pieces():
    """Without two bytes there is nothing to merge, so I go on with the next piece."""

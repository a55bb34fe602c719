"""Checks and hints for the answers in notebook 04e. coach/notebook_answers.py says how they are written."""

from coach.notebook_answers import answer, in_place_of
from coach.teaching import call, check


@answer(
    hints=[
        "How many pairs of neighbors do n IDs have?",
        "looked_at grows by one less than the number of IDs, in every round.",
    ],
    wrong=[
        "looked_at += len(ids)",
        "looked_at += len(counts)",
        "looked_at = len(ids) - 1",
    ],
)
def plain_training(function):
    idea = "Eight IDs have seven pairs; after the first merge four are left, with three: ten in all."
    outcome = call(function, "abababab", 2)
    check(outcome.seen_as(lambda result: result[1], "how many were looked at"), 10, idea=idea)


@answer(
    hints=[
        "How many pairs of neighbors does one word of n bytes have?",
        "Add len(word) - 1 for each word. How often the word occurs does not matter here.",
    ],
    wrong=[
        "return sum((len(word) - 1) * count for word, count in word_counts.items())",
        "return sum(len(word) for word in word_counts)",
        "return len(word_counts) - 1",
    ],
)
def pairs_in_words(function):
    idea = "low has two pairs, a none and lower four; each word counts once, however often it occurs."
    check(call(function, {b"low": 5, b"a": 9, b"lower": 2}), 6, idea=idea)


@answer(
    hints=[
        "tables.words_touched counts up. What is it before a merge, and what after it?",
        "Remember the count, apply the merge to the tables with its new ID, and append how much the count has grown.",
    ],
    wrong=[
        "apply_merge(tables, pair, new_id)\ntouched.append(tables.words_touched)",
        "touched.append(tables.words_touched)",
        "touched.append(len(tables.pair_words[pair]))",
    ],
)
def touched_by_each(function):
    idea = "e,s is in both words; then es,t and est,! are in one each."
    check(call(function, {b"best!": 3, b"yes": 1}, 3), [2, 1, 1], idea=idea)


@answer(
    hints=[
        "The comment's comparison is True at i where byte i + 1 is of another kind than byte i. Where does a "
        "piece begin then?",
        "np.flatnonzero gives the places that are True; the piece begins one further. And one piece begins at 0.",
    ],
    wrong=[
        "return np.flatnonzero(is_letter[1:] != is_letter[:-1]) + 1",
        "return np.concatenate([[0], np.flatnonzero(is_letter[1:] != is_letter[:-1])])",
        "return np.flatnonzero(is_letter)",
    ],
    optional=True,
)
def piece_starts(function):
    idea = "The pieces are: to, a space, be, a comma with a space, or."
    outcome = call(function, b"to be, or")
    check(outcome.seen_as(lambda array: array.tolist(), "the result"), [0, 2, 3, 5, 7], idea=idea)


@answer(
    hints=[
        "For each piece of the second half: is it in the set of the first half?",
        "Count the pieces of `later` that are not in `seen`, and divide by the number of pieces in `later`.",
    ],
    wrong=[
        "return len(set(later) - seen) / len(set(later))",
        "return sum(piece not in seen for piece in later) / len(pieces)",
        "return sum(piece in seen for piece in later) / len(later)",
    ],
    optional=True,
)
def share_of_new(function):
    idea = "Of the second half, a d d, the two d are new: each piece counts, also the same one again."
    check(call(function, [b"a", b"b", b"c", b"a", b"d", b"d"]), 2 / 3, idea=idea)


class MergePiece:
    """In place of merge_piece: a piece's IDs are its bytes. Writes down what it was called with."""

    def __init__(self):
        self.merged = []

    def __call__(self, piece):
        self.merged.append(piece)
        return list(piece)


class PiecesOf:
    """In place of pieces_of: the pieces are between vertical bars."""

    def __call__(self, data):
        return data.split(b"|")


@answer(
    hints=[
        "Merge a piece only if it is not in `known` yet, and store its IDs there.",
        "Whether the piece is new or not, its IDs are in `known` afterwards: extend `ids` with them.",
    ],
    wrong=[
        "ids.extend(merge_piece(piece))",
        "if piece not in known:\n    known[piece] = merge_piece(piece)\n    ids.extend(known[piece])",
        "if piece not in known:\n    known[piece] = merge_piece(piece)\nids.append(known[piece])",
    ],
    optional=True,
)
def encode_with_dictionary(function):
    merge_piece = MergePiece()
    with in_place_of(function, merge_piece=merge_piece, pieces_of=PiecesOf()):
        outcome = call(function, b"no|yes|no").shown_as("encode_with_dictionary, on the pieces no, yes, no")
        check(outcome, [*b"no", *b"yes", *b"no"], idea="The IDs of each piece, in the order of the text.")
        idea = "no was merged before: its IDs are in the dictionary."
        check(outcome.seen_as(lambda _: merge_piece.merged, "the pieces merged"), [b"no", b"yes"], idea=idea)

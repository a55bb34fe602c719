"""Checks and hints for the answers in notebook 04e. coach/notebook_answers.py says how they are written."""

from coach.notebook_answers import answer
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
        "looked_at += sum(counts.values())",
    ],
)
def plain_training(function):
    idea = "a b a b, the marker between words, space a b: eight IDs have seven pairs. Five IDs are left, with four."
    outcome = call(function, "abab ab", 2)
    check(outcome.seen_as(lambda result: result[1], "how many were looked at"), 11, idea=idea)


@answer(
    hints=[
        "How many pairs of neighbors does one word of n bytes have?",
        "Add len(word) - 1 for each word. How often the word occurs does not matter here.",
    ],
    wrong=[
        "return sum((len(word) - 1) * count for word, count in word_counts.items())",
        "return sum(len(word) for word in word_counts)",
        "return len(word_counts) - 1",
        "return sum(len(word.decode()) - 1 for word in word_counts)",
        "return len({pair for word in word_counts for pair in zip(word, word[1:])})",
        "return sum(len(set(zip(word, word[1:]))) for word in word_counts)",
    ],
)
def pairs_in_words(function):
    idea = "é is two bytes, one pair; a has none, and banana five. Each word counts once, however often it occurs."
    check(call(function, {"é".encode(): 5, b"a": 9, b"banana": 2}), 6, idea=idea)


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
    idea = "e,s is in both words; then b,es and bes,t are in one each."
    check(call(function, {b"best!": 3, b"yes": 1}, 3), [2, 1, 1], idea=idea)

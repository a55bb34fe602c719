"""Checks and hints for the answers in notebook 04b. coach/notebook_answers.py says how they are written."""

from coach.notebook_answers import answer, printed_by
from coach.teaching import call, check
from g2c.tokenizer import WordBPETokenizer


@answer(
    hints=[
        "tokenizer.learn_merge(words) returns three things. Give all three a name, in one line.",
        "The three are the new words, the pair and its count, and the next round continues with the new words.",
    ],
    wrong=[
        "_, pair, count = tokenizer.learn_merge(words)",
        "tokenizer.learn_merge(words)",
        "words, count, pair = tokenizer.learn_merge(words)",
    ],
)
def show_steps(function):
    words = {("t", "o", "_"): 4, ("t", "o", "p", "_"): 3}
    printed = "t o _   |   t o p _\nto _   |   to p _      t + o: 7\nto_   |   to p _      to + _: 4\n"
    idea = "Each step continues with the words that the step before it returned."
    check(call(printed_by(function), words, 2).seen_as(str, "what is printed"), printed, idea=idea)


@answer(
    hints=[
        'As text, ("ca", "b") is "ca b" and the pair is "a b". str.replace does the rest, and str.split makes '
        "symbols again.",
        '" ".join(symbols) and " ".join(pair) are the two texts; "".join(pair) is what replaces the pair. Return '
        "a tuple.",
    ],
    wrong=[
        "return WordBPETokenizer()._merge(symbols, pair)",
        'return " ".join(symbols).replace(" ".join(pair), "".join(pair)).split()',
        'return tuple(" ".join(symbols).replace(" ".join(pair), "".join(pair)))',
        'return tuple(" ".join(symbols).replace(" ".join(pair), "".join(pair), 1).split())',
    ],
)
def merge_as_text(function):
    idea = 'The wrong way is asked for: in the text "no t e", the pair "o t" is found, although no symbol is o.'
    check(call(function, ("no", "t", "e"), ("o", "t")), ("not", "e"), idea=idea)
    check(call(function, ("o", "t", "o", "t"), ("o", "t")), ("ot", "ot"), idea="The pair is joined at both places.")
    check(call(function, ("o", "t"), ("t", "o")), ("o", "t"), idea="Without the pair, nothing changes.")


@answer(
    hints=[
        "tokenizer.merges is a list of pairs of texts. Which symbol does a pair make?",
        "left + right is the symbol. It ends a word if it ends with the marker; with two letters and the marker "
        "it is three long.",
    ],
    wrong=[
        'return [left + right for left, right in tokenizer.merges if right.endswith("_")]',
        "return [left + right for left, right in tokenizer.merges if len(left + right) >= 3]",
        'return [right for left, right in tokenizer.merges if right.endswith("_") and len(right) >= 3]',
        'return sorted(one + two for one, two in tokenizer.merges if two.endswith("_") and len(one + two) >= 3)',
    ],
)
def endings_of(function):
    merges = [("y", "_"), ("l", "y_"), ("e", "s"), ("es", "t"), ("est", "_"), ("in", "g")]
    tokenizer = WordBPETokenizer(end_of_word="_")
    tokenizer.merges = merges
    tokenizer._set_tokens([*tokenizer.special_tokens, *"_egilnsty", *map("".join, merges)])
    outcome = call(function, tokenizer).shown_as(f"endings_of(a tokenizer with the merges {merges})")
    idea = "ly_ and est_ end words; y_ has one letter, and the others can stand inside a word."
    check(outcome, ["ly_", "est_"], idea=idea)


@answer(
    hints=[
        "A word that has not been seen yet has no count. What should it be, before 1 is added?",
        "counts.get(word, 0) is the count so far, 0 for a new word.",
    ],
    wrong=[
        "counts[word] = 1",
        "counts[word] += 1",
        "counts[word] = counts.get(word, 1) + 1",
        "counts[word] = text.lower().count(word)",
    ],
)
def word_counts(function):
    idea = "Each occurrence adds one to its word's count."
    check(call(function, "No, no! A dog, now."), {"no": 2, "a": 1, "dog": 1, "now": 1}, idea=idea)

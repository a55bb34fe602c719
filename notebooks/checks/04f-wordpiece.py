"""Checks and hints for the answers in notebook 04f. coach/notebook_answers.py says how they are written."""

from coach.notebook_answers import answer
from coach.teaching import call, check
from g2c.tokenizer import WordPieceTokenizer


@answer(
    hints=[
        "Count the pairs of neighbors first: zip(symbols, symbols[1:]) gives those of one word.",
        "Each pair counts as often as its word occurs. Then max with counts.get as its key gives the pair; in "
        "a tie, the first.",
    ],
    wrong=[
        "return max(WordPieceTokenizer().pair_scores(words))",
        "counts = Counter(pair for symbols in words for pair in zip(symbols, symbols[1:]))\n"
        "return max(counts, key=counts.get)",
        "counts = Counter()\nfor symbols, frequency in words.items():\n"
        "    counts.update({pair: frequency for pair in zip(symbols, symbols[1:])})\nreturn max(counts)",
        "counts = Counter()\nfor word, frequency in words.items():\n"
        "    counts.update(dict.fromkeys(zip(word, word[1:]), frequency))\nreturn max(counts, key=counts.get)",
    ],
)
def most_frequent_pair(function):
    words = {("w", "##a"): 2, ("w", "##i"): 5, ("t", "##a", "##l"): 1, ("t", "##a"): 1, ("b", "##a", "##l"): 1}
    check(call(function, words), ("w", "##i"), idea="w,##i occurs five times; no other pair occurs more than twice.")
    words = {("b", "##c"): 1, ("x", "##y"): 1}
    check(call(function, words), ("b", "##c"), idea="Both occur once: the pair seen first.")
    words = {("t", "##o"): 3, ("b", "##a", "##n", "##a", "##n"): 2}
    idea = "##a,##n occurs twice in a word that occurs twice, so four times; t,##o occurs three times."
    check(call(function, words), ("##a", "##n"), idea=idea)


@answer(
    hints=[
        "tokenizer._words(text) gives the words. How do you see that longest_match did not find a split?",
        "The tokens of an unknown word are a list with tokenizer.unk_token alone.",
    ],
    wrong=[
        "return [word for word in text.split() if tokenizer.longest_match(word) == [tokenizer.unk_token]]",
        "return [word for word in tokenizer._words(text) if word not in tokenizer.token_to_id]",
        "return [token for word in tokenizer._words(text) for token in tokenizer.longest_match(word)]",
        "return [word for word in tokenizer._words(text) if word[0] not in tokenizer.token_to_id]",
        "return [word for word in tokenizer._words(text) if len(tokenizer.longest_match(word)) == 1]",
        "return [word for word in tokenizer._words(text) if 0 in tokenizer.encode(word)]",
    ],
)
def unknown_words(function):
    vocab = ["[PAD]", "[UNK]", "a", "##pe", "z", "zoo"]
    outcome = call(function, WordPieceTokenizer(vocab), "Zoo, ape, zebra")
    shown = f'unknown_words(a tokenizer with the tokens {" ".join(vocab)}, "Zoo, ape, zebra")'
    idea = "zoo is a token and ape is split into two; the commas and zebra are unknown, and [UNK] has the ID 1."
    check(outcome.shown_as(shown), [",", ",", "zebra"], idea=idea)

"""Checks and hints for the answers in notebook 04f. coach/notebook_answers.py says how they are written."""

from coach.notebook_answers import answer
from coach.teaching import call, check


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
    ],
)
def most_frequent_pair(function):
    words = {("w", "##a"): 2, ("w", "##i"): 5, ("t", "##a", "##l"): 1, ("t", "##a"): 1, ("b", "##a", "##l"): 1}
    check(call(function, words), ("w", "##i"), idea="w,##i occurs five times; no other pair occurs more than twice.")
    words = {("b", "##c"): 1, ("x", "##y"): 1}
    check(call(function, words), ("b", "##c"), idea="Both occur once: the pair seen first.")


class NoWordWithZ:
    """A tokenizer that splits a text at hyphens and knows no word that begins with z."""

    unk_token, token_to_id = "<unk>", {"<unk>": 0, "a": 1}

    def _words(self, text):
        return text.lower().split("-")

    def longest_match(self, word):
        return ["<unk>"] if word[0] == "z" else [word[0], "##" + word[1:]]


@answer(
    hints=[
        "tokenizer._words(text) gives the words. How do you see that longest_match did not find a split?",
        "The tokens of an unknown word are a list with tokenizer.unk_token alone.",
    ],
    wrong=[
        "return [word for word in text.split() if tokenizer.longest_match(word) == [tokenizer.unk_token]]",
        "return [word for word in tokenizer._words(text) if word not in tokenizer.token_to_id]",
        "return [token for word in tokenizer._words(text) for token in tokenizer.longest_match(word)]",
    ],
)
def unknown_words(function):
    outcome = call(function, NoWordWithZ(), "Zoo-ape-zebra")
    shown = 'unknown_words(a tokenizer that splits at "-" and knows no word with z, "Zoo-ape-zebra")'
    check(outcome.shown_as(shown), ["zoo", "zebra"], idea="zoo and zebra are unknown; ape is split into tokens.")

"""Checks and hints for the answers in notebook 04a. coach/notebook_answers.py says how they are written."""

from types import SimpleNamespace

from coach.notebook_answers import answer, in_place_of
from coach.teaching import call, check


@answer(
    hints=[
        "A dictionary with the three keys of the comment. character.isupper() and text.count(...) do two of them.",
        "For the third: zip(text, text[1:]) gives each character with the one after it. Count where both are "
        "whitespace.",
    ],
    wrong=[
        """
        return {
            "capital letters": sum(character.isupper() for character in text),
            "newlines": text.count("\\n"),
            "repeated whitespace": text.count("  "),
        }
        """,
        """
        return {
            "capital letters": sum(word.istitle() for word in text.split()),
            "newlines": text.count("\\n"),
            "repeated whitespace": sum(one.isspace() and other.isspace() for one, other in zip(text, text[1:])),
        }
        """,
        'return {"capital letters": 0, "newlines": 0, "repeated whitespace": 0}',
    ],
)
def thrown_away(function):
    expected = {"capital letters": 4, "newlines": 3, "repeated whitespace": 3}
    idea = "Four capitals; three newlines; and three places where whitespace follows whitespace, of any kind."
    check(call(function, "A  KIN\n\nsp \toke\n"), expected, idea=idea)


@answer(
    hints=[
        "everything.token_to_id has every word as a key. Which of them become the word once punctuation is gone?",
        'known.strip(".,:;!?") removes these characters from both ends of a word, and leaves those within it.',
    ],
    wrong=[
        "return [known for known in everything.token_to_id if word in known]",
        "return [known for known in everything.token_to_id if known.startswith(word)]",
        "return [word]",
    ],
)
def forms_of(function):
    known = ["sir", "sir,", "sire", "'sir", "yes-sir", "sir?!"]
    ids = {word: number for number, word in enumerate(known)}
    everything = SimpleNamespace(token_to_id=ids, id_to_token={number: word for word, number in ids.items()})
    with in_place_of(function, everything=everything):
        outcome = call(function, "sir").shown_as(f'forms_of("sir"), if the words are {" ".join(known)}')
        idea = "Punctuation at both ends is stripped; sire and yes-sir are other words."
        check(outcome.seen_as(sorted, "the forms, sorted"), sorted(["sir", "sir,", "'sir", "sir?!"]), idea=idea)


class ThreeCharacters:
    """A tokenizer that makes a token of three characters each, and knows no capitals."""

    def encode(self, text):
        return [0 if text[place].isupper() else 7 for place in range(0, len(text), 3)]


@answer(
    hints=[
        "How many tokens does the text have, and how many characters?",
        "Tokens for each character, times 1,000.",
    ],
    wrong=[
        "return len(tokenizer.encode(text)) / len(text)",
        "return 1000 * len(text) / len(tokenizer.encode(text))",
        "return len(tokenizer.encode(text[:1000]))",
    ],
)
def tokens_per_1000_characters(function):
    idea = "Two tokens for six characters: 1,000 characters would have 333."
    check(call(function, ThreeCharacters(), "abcdef"), 1000 * 2 / 6, idea=idea)


@answer(
    hints=[
        "Encode once and keep the IDs. How many of them are 0, and how many are there?",
        "ids.count(0) counts the zeros.",
    ],
    wrong=[
        "return tokenizer.encode(text).count(0) / len(text)",
        "return 100 * tokenizer.encode(text).count(0) / len(tokenizer.encode(text))",
        "return tokenizer.encode(text).count(0)",
    ],
)
def unknown_share(function):
    idea = "One of these four tokens is unknown: a quarter."
    check(call(function, ThreeCharacters(), "abcdefXyzuvw"), 0.25, idea=idea)


@answer(
    hints=[
        "symbols[:stop] is what has been read at a stop. How many distinct ones are in it?",
        "A set holds each symbol once. A dictionary comprehension makes the result: {stop: ... for stop in stops}.",
    ],
    wrong=[
        "return {stop: len(symbols[:stop]) for stop in stops}",
        "return {stop: len(set(symbols[: stop + 1])) for stop in stops}",
        "return [len(set(symbols[:stop])) for stop in stops]",
    ],
)
def growth(function):
    idea = "Of the first four symbols, a, b, a, c, three are distinct; of none, none."
    check(call(function, ["a", "b", "a", "c", "a"], [0, 1, 4, 5]), {0: 0, 1: 1, 4: 3, 5: 3}, idea=idea)

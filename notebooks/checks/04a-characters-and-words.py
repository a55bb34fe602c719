"""Checks and hints for the answers in notebook 04a. coach/notebook_answers.py says how they are written."""

from coach.notebook_answers import answer, in_place_of
from coach.teaching import call, check
from g2c.tokenizer import CharTokenizer, WordTokenizer


def knows(tokenizer, *symbols):
    """Give a tokenizer a vocabulary: the unknown token, if it has one, and these symbols."""
    for symbol in symbols:
        tokenizer.id_to_token[tokenizer.vocab_size] = symbol
        tokenizer.token_to_id[symbol] = tokenizer.vocab_size
    return tokenizer


class Threes(CharTokenizer):
    """A tokenizer whose symbols have three characters each."""

    def _split(self, text):
        return [text[place : place + 3] for place in range(0, len(text), 3)]


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
        """
        return {
            "capital letters": sum(character.isupper() for character in text),
            "newlines": text.count("\\n"),
            "repeated whitespace": len(re.findall(r"\\s{2,}", text)),
        }
        """,
        """
        return {
            "capital letters": len(re.findall("[A-Z]", text)),
            "newlines": len(text.splitlines()),
            "repeated whitespace": sum(one.isspace() and other.isspace() for one, other in zip(text, text[1:])),
        }
        """,
    ],
)
def thrown_away(function):
    expected = {"capital letters": 4, "newlines": 2, "repeated whitespace": 4}
    idea = "Four capitals; two newlines; and four places where whitespace follows whitespace, of any kind."
    check(call(function, "À   KIN\n\nsp \toke"), expected, idea=idea)


@answer(
    hints=[
        "everything.token_to_id has every word as a key. Which of them become the word once punctuation is gone?",
        'known.strip(".,:;!?") removes these characters from both ends of a word, and leaves those within it.',
    ],
    wrong=[
        "return [known for known in everything.token_to_id if word in known]",
        "return [known for known in everything.token_to_id if known.startswith(word)]",
        "return [word]",
        "return [known for known in everything.token_to_id if ''.join(filter(str.isalpha, known)) == word]",
    ],
)
def forms_of(function):
    known = ["sir", "sir,", "sire", "'sir", "yes-sir", "s'ir", "sir?!"]
    with in_place_of(function, everything=knows(WordTokenizer(), *known)):
        outcome = call(function, "sir").shown_as(f'forms_of("sir"), if the words are {" ".join(known)}')
        idea = "Punctuation at both ends is stripped; sire, yes-sir and s'ir are other words."
        check(outcome.seen_as(sorted, "the forms, sorted"), sorted(["sir", "sir,", "'sir", "sir?!"]), idea=idea)


@answer(
    hints=[
        "How many tokens does the text have, and how many characters?",
        "Tokens for each character, times 1,000.",
    ],
    wrong=[
        "return len(tokenizer.encode(text)) / len(text)",
        "return 1000 * len(text) / len(tokenizer.encode(text))",
        "return len(tokenizer.encode(text[:1000]))",
        "return 1000 * len(tokenizer.encode(text)) / len(text.encode())",
        "return 1000 * len(set(tokenizer.encode(text))) / len(text)",
    ],
)
def tokens_per_1000_characters(function):
    idea = "Its symbols are abc, déf, abc: three tokens for nine characters, so 1,000 characters would have 333."
    check(call(function, knows(Threes(), "abc", "déf"), "abcdéfabc"), 1000 * 3 / 9, idea=idea)


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
    idea = "Its symbols are abc, déf, Xyz, abc. Xyz is unknown, one of four: a quarter."
    check(call(function, knows(Threes("[UNK]"), "abc", "déf"), "abcdéfXyzabc"), 0.25, idea=idea)


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

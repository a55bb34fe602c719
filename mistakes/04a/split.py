"""Wrong solutions of WordTokenizer._split."""

import re

from coach.diagnosis.bank import mistake


@mistake(
    "only some kinds of whitespace separate words",
    why="Unicode has more than these: call split without an argument.",
    pitfall="words",
)
def split_ascii_white_space(self, text):
    """Whitespace is the space, the tab and the line end."""
    return [part for part in re.split("[ \\t\\n\\r]+", text.lower()) if part]


@mistake(
    "the text is split at every single space",
    why='split(" ") makes an empty word of two adjacent spaces, and leaves line breaks: call it without an argument.',
    pitfall="empty-words",
)
def split_at_spaces(self, text):
    """Words are separated by spaces."""
    return text.lower().split(" ")


@mistake("casefold in place of lower", why='It changes more than capitals: "ß" becomes "ss".', pitfall="words")
def split_casefold(self, text):
    """casefold is the thorough lower."""
    return text.casefold().split()


@mistake(
    "each word appears only once",
    why="_split gives all words of the text in order; the vocabulary comes later.",
    pitfall="words",
)
def split_each_word_once(self, text):
    """A vocabulary has each word once."""
    return list(dict.fromkeys(text.lower().split()))


@mistake("upper case is kept", why='"The" and "the" are the same word here: call text.lower() first.', pitfall="words")
def split_keeps_capitals(self, text):
    """split cuts a text into its words."""
    return text.split()


@mistake(
    "a list of lists is returned", why="One list of words for the whole text, not one for each line.", pitfall="words"
)
def split_lines_apart(self, text):
    """I split into lines first, then into words."""
    return [line.split() for line in text.lower().splitlines()]


@mistake(
    "the text is not split into words",
    why="str.split does this, and returns a list.",
    pitfall="words",
    change=[{"text.lower().split()": "list(text.lower())"}, {"text.lower().split()": "text.lower()"}],
)
def split_not_at_all():
    """list makes a list of the text."""


@mistake(
    "punctuation is a separate word",
    why='This tokenizer splits only at whitespace, so "be," is one word.',
    pitfall="words",
)
def split_punctuation_apart(self, text):
    """A word ends where the letters end, and the punctuation is a separate token."""
    return re.findall(r"\w+|[^\w\s]", text.lower())


@mistake(
    "punctuation is removed", why='This tokenizer splits only at whitespace, so "be," is one word.', pitfall="words"
)
def split_takes_punctuation_off(self, text):
    """A comma is not part of a word."""
    return re.findall(r"\w+", text.lower())


@mistake(
    "punctuation is removed", why='This tokenizer splits only at whitespace, so "be," is one word.', pitfall="words"
)
def split_strips_punctuation(self, text):
    """A comma at the end is not part of a word."""
    return [word.strip(".,:;!?") for word in text.lower().split()]


@mistake(
    "there are empty words",
    why="re.split leaves one at each end with whitespace, and one of a text without words: call split without an argument.",
    pitfall="empty-words",
    has="re.split(...) or split(...)",
)
def split_with_empty_words(self, text):
    """A regular expression cuts at whitespace."""
    return re.split(r"\s+", text.lower())


@mistake("the last word is lost", why="No whitespace follows it: add the word after the loop, too.", pitfall="words")
def split_loses_the_last_word(self, text):
    """Whitespace ends a word."""
    words, word = [], ""
    for character in text.lower():
        if not character.isspace():
            word += character
        elif word:
            words.append(word)
            word = ""
    return words

"""Checks and hints for the answers in notebook 04d. coach/notebook_answers.py says how they are written."""

from coach.notebook_answers import answer
from coach.teaching import call, check
from g2c.tokenizer import BPETokenizer


def trained(text, vocab_size, special_tokens=()):
    tokenizer = BPETokenizer(special_tokens)
    tokenizer.train_exact(text, vocab_size, progress=False)
    return tokenizer


@answer(
    hints=[
        'A line is two tokens with a space between: line.split(" ") gives both. encoder turns each into its ID.',
        "The key is the pair of their IDs. The value is the ID of the token that both together make, left + right.",
    ],
    wrong=[
        'return {tuple(line.split(" ")): encoder["".join(line.split(" "))] for line in lines}',
        'return {tuple(encoder[part] for part in line.split(" ")): 256 + n for n, line in enumerate(lines)}',
        'return {tuple(encoder[part] for part in reversed(line.split(" "))): encoder[line.replace(" ", "")] for '
        "line in lines}",
        'return {tuple(encoder[part] for part in line.split(" ")): encoder[line.replace(" ", "")] for line in '
        "sorted(lines, reverse=True)}",
    ],
)
def merges_of(function):
    encoder = {"Ġ": 5, "a": 9, "n": 3, "an": 70, "Ġan": 41}
    idea = "The ID of a merge is that of the joined token; it need not follow the one before."
    outcome = call(function, encoder, ["a n", "Ġ an"])
    check(outcome, {(9, 3): 70, (5, 70): 41}, idea=idea)
    check(outcome.seen_as(list, "the pairs, in order"), [(9, 3), (5, 70)], idea="They keep the order of the lines.")


class GivesIds(BPETokenizer):
    """A tokenizer whose encode gives these IDs, right or wrong."""

    def encode(self, text):
        return self.ids


@answer(
    hints=[
        "Two lists of IDs: tokenizer.encode(text), and the one in the comment. How long is the first, and are "
        "they equal?",
        "Return both in one line, separated by a comma: the length, and the comparison with ==.",
    ],
    wrong=[
        "return len(tokenizer.encode(text)), True",
        "return len(text), tokenizer.encode(text) == tokenizer.to_hf().encode(text).ids",
        "return len(tokenizer.encode(text)), len(tokenizer.encode(text)) == len(tokenizer.to_hf().encode(text).ids)",
        "return len(tokenizer.encode(text)), tokenizer.decode(tokenizer.encode(text)) == text",
        "mine = tokenizer.encode_fast(text)\nreturn len(mine), mine == tokenizer.to_hf().encode(text).ids",
    ],
)
def same_as_library(function):
    tokenizer = GivesIds()
    tokenizer.train_exact("no no", 257, progress=False)
    for ids in ([256, 32, 256], [256, 256, 32], [*b"no no"]):
        tokenizer.ids = ids
        shown = f'same_as_library(tokenizer, "no no"), where encode gives {ids} and the library [256, 32, 256]'
        idea = "The number of tokens from `encode` (not encode_fast), and whether the IDs are the same, one by one."
        check(call(function, tokenizer, "no no").shown_as(shown), (len(ids), ids == [256, 32, 256]), idea=idea)


@answer(
    hints=[
        "Encode first. tokenizer.vocab gives the bytes of each ID, and your character_spans the spans of those bytes.",
        "zip puts three lists together, in the order that the docstring names: bytes, ID, span. Make a list of it.",
    ],
    wrong=[
        """
        mine = tokenizer.encode(text)
        tokens = [tokenizer.vocab[token_id] for token_id in mine]
        return list(zip(tokens, character_spans(tokens), mine))
        """,
        """
        mine = tokenizer.encode(text)
        tokens = [tokenizer.vocab[token_id] for token_id in mine]
        return list(zip(tokens, mine, [(n, n + 1) for n in range(len(mine))]))
        """,
        """
        mine = tokenizer.encode(text)
        tokens = [tokenizer.decode([token_id]) for token_id in mine]
        return list(zip(tokens, mine, character_spans([token.encode() for token in tokens])))
        """,
        """
        tokens = [bytes([byte]) for byte in text.encode()]
        return list(zip(tokens, text.encode(), character_spans(tokens)))
        """,
    ],
)
def rows_of(function):
    expected = [(b"o", 111, (0, 1)), (b"\xc3", 195, (1, 2)), (b"\xa9", 169, (1, 2)), (b"on", 256, (2, 4))]
    idea = "é is one character in two tokens, which both have its span; on is two characters in one token."
    check(call(function, trained("on on", 257), "oéon"), expected, idea=idea)


@answer(
    hints=[
        "For your tokenizers, encode gives a list. How long is it?",
        "len counts the entries of a list.",
    ],
    wrong=[
        "return len(text)",
        "return tokenizer.encode(text)",
        "return len(set(tokenizer.encode(text)))",
        "return len(text.encode())",
        "return len(yours.encode(text))",
    ],
)
def count_tokens(function):
    idea = "no is the only learned token. It occurs twice; the other nine tokens are bytes, and ó is two of them."
    check(call(function, trained("no no", 257), "no no the nó"), 11, idea=idea)


@answer(
    hints=[
        "A token is bytes, and your byte_characters() has a character for each byte.",
        'Look up each byte of the token, in order, and put the characters together with "".join.',
    ],
    wrong=[
        'return token.decode("utf-8", errors="replace")',
        'return token.decode("latin-1")',
        "return [byte_characters()[byte] for byte in token]",
        "return token.decode('latin-1').replace(' ', 'Ġ').replace('\\n', 'Ċ')",
    ],
)
def spelled(function):
    idea = "A space is written Ġ, a newline Ċ, and € as three characters, one for each byte."
    check(call(function, " €\n".encode()), "ĠâĤ¬Ċ", idea=idea)


@answer(
    hints=[
        "Encode the text, and turn each single ID back into text. Which of the results contain the letter?",
        "tokenizer.decode([token_id]) is one token as text; `letter in token` tells whether it contains the letter.",
    ],
    wrong=[
        "return [character for character in text if character == letter]",
        "return [tokenizer.decode([token_id]) for token_id in tokenizer.encode(text)]",
        "return [token.decode() for token in tokenizer.vocab.values() if letter.encode() in token]",
        "tokens = [tokenizer.decode([token_id]) for token_id in tokenizer.encode(text)]\n"
        "return [token for token in tokens if letter.lower() in token.lower()]",
        "tokens = [tokenizer.decode([token_id]) for token_id in tokenizer.encode(text)]\n"
        "return [token.strip() for token in tokens if letter in token]",
        "tokens = [tokenizer.vocab[token_id].decode() for token_id in tokenizer.encode(text)]\n"
        "return [token for token in tokens if letter in token]",
    ],
)
def tokens_with(function):
    # Its learned tokens are " a" and " an".
    tokenizer = trained(" an an an", 258)
    idea = "The tokens of this text that contain the letter, whole and in their order; A is another letter than a."
    check(call(function, tokenizer, "Anna, an é", "a"), ["a", " an"], idea=idea)


@answer(
    hints=[
        "A set of the text's IDs tells quickly which tokens are used. The learned ones are the values of "
        "tokenizer.merges.",
        "For each learned ID that is not in the set, its bytes: tokenizer.vocab[token_id].",
    ],
    wrong=[
        "used = set(tokenizer.encode_fast(text))\n"
        "return [token for token_id, token in tokenizer.vocab.items() if token_id not in used]",
        "used = set(tokenizer.encode_fast(text))\n"
        "return [token_id for token_id in tokenizer.merges.values() if token_id not in used]",
        "used = set(tokenizer.encode_fast(text))\n"
        "return [tokenizer.vocab[token_id] for token_id in tokenizer.merges.values() if token_id in used]",
        "used = set(tokenizer.encode_fast(text))\n"
        "return [token for token_id, token in tokenizer.vocab.items() if len(token) > 1 and token_id not in used]",
        "halves = {token_id for pair in tokenizer.merges for token_id in pair}\n"
        "return [tokenizer.vocab[token_id] for token_id in tokenizer.merges.values() if token_id in halves]",
    ],
)
def never_used(function):
    tokenizer = trained("hiss hiss hiss", 260, ["<|endoftext|>"])
    idea = "hi occurs only within his and hiss, which are one token each. Bytes and special tokens were not learned."
    check(call(function, tokenizer, "hiss his"), [b"hi"], idea=idea)


@answer(
    hints=[
        "You have the bits of the whole text. How many bytes does it have?",
        'text.encode("utf-8") is the text as bytes, and len counts them.',
    ],
    wrong=[
        "return bits / len(text)",
        "return len(text.encode('utf-8')) / bits",
        "return bits / 8 / len(text.encode('utf-8'))",
        "return bits // len(text.encode('utf-8'))",
        "return round(bits / len(text.encode('utf-8')), 3)",
    ],
)
def bits_per_byte(function):
    check(call(function, 22.0, "sixsix"), 22 / 6, idea="22 bits for six bytes.")
    check(call(function, 20.0, "éé"), 5.0, idea="é takes two bytes: bytes are counted, not characters.")


@answer(
    hints=[
        'unicodedata.category gives two letters for a character; the first of them is "M" for a mark.',
        "A list of the characters of the word for which the category starts with M, in the order of the word.",
    ],
    wrong=[
        "return [character for character in word if unicodedata.category(character) == 'Mn']",
        "return [character for character in word if not unicodedata.category(character).startswith('M')]",
        "return [unicodedata.category(character) for character in word if "
        "unicodedata.category(character).startswith('M')]",
        "return [character for character in word if not character.isalpha()]",
    ],
)
def marks_in(function):
    idea = "ो and ं are marks of two kinds, Mc and Mn; म and न are letters, and the hyphen is punctuation."
    check(call(function, "मो-नों"), ["ो", "ो", "ं"], idea=idea)

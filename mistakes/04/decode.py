"""Wrong solutions of BPETokenizer.decode."""

from g2c.course.diagnosis.bank import mistake
from g2c.solutions.bpe import BPETokenizer as AnswerKey

# What most of them do right.


def looked_up(tokenizer, ids):
    tokens = []
    for token_id in ids:
        if token_id not in tokenizer.vocab:
            raise ValueError(f"There is no token with ID {token_id}.")
        tokens.append(tokenizer.vocab[token_id])
    return tokens


@mistake(
    "another error than a ValueError",
    why="Raise a ValueError that names the ID; assert raises AssertionError.",
    pitfall="unknown-id",
)
def decode_asserts(self, ids):
    """assert makes sure that the ID exists."""
    for token_id in ids:
        assert token_id in self.vocab, f"unknown ID {token_id}"
    return AnswerKey.decode(self, ids)


@mistake(
    "invalid bytes become something else",
    why='The replacement character U+FFFD stands for them: errors="replace".',
    pitfall="strict-utf8",
)
def decode_backslashes(self, ids):
    """What cannot be decoded should at least be readable."""
    for token_id in ids:
        if token_id not in self.vocab:
            raise ValueError(f"there is no token with ID {token_id}")
    return b"".join(self.vocab[token_id] for token_id in ids).decode(errors="backslashreplace")


@mistake(
    "the tokens are joined in reverse order",
    why="The first ID is the beginning of the text: append each token at the end.",
    pitfall="token-by-token",
)
def decode_backwards(self, ids):
    """I put each token in front of the text that I have."""
    return AnswerKey.decode(self, list(ids)[::-1])


@mistake(
    "an ID is used as a position in vocab",
    why="IDs can have gaps, and -1 is the last position of a list: look the ID up as a key.",
    pitfall="unknown-id",
)
def decode_by_place(self, ids):
    """vocab as a list, and the ID is the place in it."""
    tokens = list(self.vocab.values())
    try:
        data = b"".join(tokens[i] for i in ids)
    except IndexError:
        raise ValueError(f"There is an ID in {list(ids)} that does not exist") from None
    return data.decode("utf-8", errors="replace")


@mistake(
    "the size of the vocabulary decides which IDs exist",
    why="Special tokens can have any IDs, and between them are gaps: ask whether the ID is in vocab.",
    pitfall="unknown-id",
)
def decode_by_size(self, ids):
    """IDs go from 0 to vocab_size - 1, so every other ID is an error."""
    ids = list(ids)
    for token_id in ids:
        if token_id < 0 or token_id >= self.vocab_size:
            raise ValueError(f"{token_id} is out of range")
    return b"".join(self.vocab[token_id] for token_id in ids).decode("utf-8", errors="replace")


@mistake("bytes where str belongs", why="Decode the joined bytes as UTF-8; text is a str.", pitfall="str-for-bytes")
def decode_bytes_back(self, ids):
    """The tokens joined are the result."""
    tokens = looked_up(self, ids)
    return b"".join(tokens)


@mistake(
    "special tokens are left out",
    why="They are in vocab and are decoded like all other tokens.",
    pitfall="special-tokens",
)
def decode_drops_special(self, ids):
    """Special tokens are not part of the text that people read."""
    tokens = []
    for token_id in ids:
        if token_id not in self.vocab:
            raise ValueError(f"There is no token with ID {token_id}.")
        if token_id not in self.special_token_ids:
            tokens.append(self.vocab[token_id])
    return b"".join(tokens).decode("utf-8", errors="replace")


@mistake(
    "U+FEFF at the beginning is lost",
    why='"utf-8-sig" removes a leading U+FEFF: decode as "utf-8".',
    pitfall="changed-text",
    group="TestRoundTrip",
)
def decode_drops_the_mark(self, ids):
    """utf-8-sig reads files with and without a mark at the beginning."""
    AnswerKey.decode(self, ids)
    return b"".join(self.vocab[i] for i in ids).decode("utf-8-sig", errors="replace")


@mistake(
    "invalid bytes are dropped",
    why='They become the replacement character: errors="replace", not "ignore".',
    pitfall="strict-utf8",
)
def decode_ignore(self, ids):
    """errors="ignore" keeps strange characters out of the text."""
    tokens = looked_up(self, ids)
    return b"".join(tokens).decode("utf-8", errors="ignore")


@mistake(
    "something is put between the tokens",
    why='A token brings its own spaces: join the bytes with b"".',
    pitfall="changed-text",
)
def decode_joins_with_spaces(self, ids):
    """Tokens are like words, and words have spaces between them."""
    return " ".join(AnswerKey.decode(self, [i]) for i in ids)


@mistake(
    "a KeyError for an ID that does not exist",
    why="Ask whether the ID is in vocab, and raise a ValueError that names it.",
    pitfall="unknown-id",
)
def decode_key_error(self, ids):
    """An ID that is not in vocab raises an error by itself."""
    tokens = []
    for token_id in ids:
        tokens.append(self.vocab[token_id])
    return b"".join(tokens).decode("utf-8", errors="replace")


@mistake(
    "bytes are read as characters",
    why="A byte above 127 is only part of a character: decode as UTF-8.",
    pitfall="str-for-bytes",
)
def decode_latin_1(self, ids):
    """latin-1 never fails, whatever the bytes are."""
    tokens = looked_up(self, ids)
    return b"".join(tokens).decode("latin-1")


@mistake(
    "only a list is accepted",
    why="IDs may come in an array, which has no pop: loop over them with for.",
    pitfall="unknown-id",
)
def decode_pops(self, ids):
    """I take IDs from the list until it is empty."""
    for token_id in ids:
        if token_id not in self.vocab:
            raise ValueError(f"there is no token with ID {token_id}")
    data = b""
    ids = ids.copy()
    while len(ids):
        data += self.vocab[ids.pop(0)]
    return data.decode(errors="replace")


@mistake(
    "invalid bytes become something else",
    why='The replacement character U+FFFD stands for them: errors="replace".',
    pitfall="strict-utf8",
)
def decode_question_marks(self, ids):
    """What cannot be shown becomes a question mark."""
    for token_id in ids:
        if token_id not in self.vocab:
            raise ValueError(f"there is no token with ID {token_id}")
    return b"".join(self.vocab[token_id] for token_id in ids).decode(errors="replace").replace("\ufffd", "?")


@mistake(
    "an ID that exists is rejected",
    why="Raise the ValueError only for an ID that is not in vocab.",
    pitfall="unknown-id",
    change={
        "if token_id not in self.vocab:": "if not 0 <= token_id < 256:",
        '"There is no token with ID {token_id} in this vocabulary of {self.vocab_size}."': '"There is no token with ID {token_id}."',
    },
)
def decode_refuses_known():
    """Special tokens and merges come after the 256 bytes; anything above 255 does not exist."""


@mistake(
    "the function returns inside the loop",
    why="The return statement belongs after the loop: one level deeper, it ends the function in the first round.",
    pitfall="token-by-token",
)
def decode_returns_in_the_loop(self, ids):
    """When I have looked up the token I return the text."""
    for token_id in ids:
        if token_id not in self.vocab:
            raise ValueError(f"there is no token with ID {token_id}")
        return self.vocab[token_id].decode(errors="replace")
    return ""


@mistake(
    "an ID that does not exist is ignored",
    why="Lost text must not go unnoticed: raise a ValueError that names the ID.",
    pitfall="unknown-id",
)
def decode_skips_unknown(self, ids):
    """vocab.get with empty bytes never fails."""
    tokens = []
    for token_id in ids:
        tokens.append(self.vocab.get(token_id, b""))
    return b"".join(tokens).decode("utf-8", errors="replace")


@mistake(
    "str made from bytes objects",
    why="str(b'H') gives the text \"b'H'\": join the bytes, then decode them.",
    pitfall="str-for-bytes",
)
def decode_str_of_bytes(self, ids):
    """str makes text of anything, also of bytes."""
    tokens = looked_up(self, ids)
    return "".join(str(token) for token in tokens)


@mistake(
    "str made from bytes objects",
    why='str(b"Hi") gives the text "b\'Hi\'": call decode on the joined bytes.',
    pitfall="str-for-bytes",
)
def decode_str_of_joined_bytes(self, ids):
    """str makes text of everything."""
    for token_id in ids:
        if token_id not in self.vocab:
            raise ValueError(f"there is no token with ID {token_id}")
    return str(b"".join(self.vocab[token_id] for token_id in ids))


@mistake(
    "strict UTF-8",
    why='Bytes that are not valid UTF-8 must not raise an error: decode with errors="replace".',
    pitfall="strict-utf8",
)
def decode_strict(self, ids):
    """The bytes came from UTF-8, so they are UTF-8."""
    tokens = looked_up(self, ids)
    return b"".join(tokens).decode("utf-8")


@mistake(
    "characters of the text are lost",
    why="White space and line endings are part of the text: return exactly what the bytes say.",
    pitfall="changed-text",
    group="TestRoundTrip",
)
def decode_strips(self, ids):
    """The text should not begin or end with spaces."""
    for token_id in ids:
        if token_id not in self.vocab:
            raise ValueError(f"there is no token with ID {token_id}")
    return b"".join(self.vocab[token_id] for token_id in ids).decode(errors="replace").strip()


@mistake(
    "tokens are decoded one by one",
    why="The bytes of a character may be spread over several tokens: join all bytes, then decode once.",
    pitfall="token-by-token",
)
def decode_token_by_token(self, ids):
    """Each token is a piece of text: decode it, then join the text."""
    tokens = looked_up(self, ids)
    return "".join(token.decode("utf-8", errors="replace") for token in tokens)


@mistake(
    "tokens are decoded one by one",
    why="The bytes of a character may be spread over several tokens: join all bytes, then decode once.",
    pitfall="token-by-token",
)
def decode_token_by_token_strict(self, ids):
    """Each token is a piece of text: decode it, then join the text."""
    tokens = looked_up(self, ids)
    return "".join(token.decode("utf-8") for token in tokens)


@mistake(
    "tokens are decoded one by one",
    why="The bytes of a character may be spread over several tokens: join all bytes, then decode once.",
    pitfall="token-by-token",
)
def decode_tokens_ignore(self, ids):
    """Each token is decoded, and what is not a character is ignored."""
    for token_id in ids:
        if token_id not in self.vocab:
            raise ValueError(f"there is no token with ID {token_id}")
    return "".join(self.vocab[token_id].decode(errors="ignore") for token_id in ids)


@mistake(
    "an array is used as a condition",
    why="IDs may come as an array, which is neither true nor false: loop over them without `if ids`.",
    pitfall="unknown-id",
)
def decode_truth_of_array(self, ids):
    """Without IDs the text is empty; I ask that first."""
    if not ids:
        return ""
    tokens = looked_up(self, ids)
    return b"".join(tokens).decode("utf-8", errors="replace")


@mistake(
    "an ID that does not exist is ignored",
    why="Lost text must not go unnoticed: raise a ValueError that names the ID.",
    pitfall="unknown-id",
)
def decode_unknown_is_replaced(self, ids):
    """An ID that nobody knows becomes the replacement character, like invalid bytes."""
    return b"".join(self.vocab.get(token_id, "\ufffd".encode()) for token_id in ids).decode(errors="replace")


@mistake(
    "the error does not name the ID",
    why="Put the ID that does not exist into the message.",
    pitfall="unknown-id",
    change={
        'f"There is no token with ID {token_id} in this vocabulary of {self.vocab_size}."': '"There is no such token."'
    },
)
def decode_unnamed_error():
    """I raise a ValueError for an ID that does not exist."""

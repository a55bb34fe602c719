"""Wrong solutions of BPETokenizer.decode."""

from coach.diagnosis.bank import mistake

EXISTS = "if token_id not in self.vocab:"
DECODED = 'b"".join(tokens).decode("utf-8", errors="replace")'


@mistake(
    "an error other than a ValueError",
    why="Raise a ValueError that names the ID; assert raises AssertionError.",
    pitfall="unknown-id",
    change={"ValueError": "AssertionError"},
)
def decode_asserts():
    """assert makes sure that the ID exists."""


@mistake(
    "the bytes are decoded as ASCII",
    why='ASCII has only the bytes up to 127. The bytes of a token are UTF-8: "utf-8".',
    pitfall="strict-utf8",
    has="'ascii' or 'ASCII' or 'us-ascii'",
    change={'"utf-8"': '"ascii"'},
)
def decode_ascii():
    """Bytes are letters in ASCII, and errors="replace" takes care of the rest."""


@mistake(
    "invalid bytes become something else",
    why='The replacement character U+FFFD stands for them: errors="replace".',
    pitfall="strict-utf8",
    change=[{'"replace"': '"backslashreplace"'}, {DECODED: f'{DECODED}.replace("\\ufffd", "?")'}],
)
def decode_backslashes():
    """Bytes that cannot be decoded should at least be readable."""


@mistake(
    "the tokens are joined in reverse order",
    why="The first ID is the beginning of the text: append each token at the end.",
    pitfall="token-by-token",
    change={"tokens.append(": "tokens.insert(0, "},
)
def decode_backwards():
    """I put each token in front of the text that I have."""


@mistake(
    "an ID is used as a position in vocab",
    why="IDs can have gaps, and -1 is the last position of a list: look up the ID as a key.",
    pitfall="unknown-id",
)
def decode_by_place(self, ids):
    """I make a list of vocab, and the ID is the position in it."""
    tokens = list(self.vocab.values())
    try:
        data = b"".join(tokens[i] for i in ids)
    except IndexError:
        raise ValueError(f"There is an ID in {list(ids)} that does not exist") from None
    return data.decode("utf-8", errors="replace")


@mistake(
    "the bytes of tokens are built anew from merges",
    why="A token can be in vocab without a merge, and a byte can have another ID: look each ID up in self.vocab.",
    pitfall="unknown-id",
    has="self.merges",
)
def decode_from_merges(self, ids):
    """A token is a byte, a special token, or made by a merge."""
    vocab = {byte: bytes([byte]) for byte in range(256)}
    vocab |= {token_id: token.encode() for token, token_id in self.special_to_id.items()}
    for (left, right), new_id in self.merges.items():
        vocab[new_id] = vocab[left] + vocab[right]
    for token_id in ids:
        if token_id not in vocab:
            raise ValueError(f"There is no token with ID {token_id}.")
    return b"".join(vocab[token_id] for token_id in ids).decode("utf-8", errors="replace")


@mistake(
    "the size of the vocabulary decides which IDs exist",
    why="Special tokens can have any IDs, and between them are gaps: ask whether the ID is in vocab.",
    pitfall="unknown-id",
    change={EXISTS: "if not 0 <= token_id < self.vocab_size:"},
)
def decode_by_size():
    """IDs go from 0 to vocab_size - 1, so every other ID is an error."""


@mistake(
    "bytes where str belongs",
    why="Decode the joined bytes as UTF-8; text is a str.",
    pitfall="str-for-bytes",
    change={'.decode("utf-8", errors="replace")': ""},
)
def decode_bytes_back():
    """The joined tokens are the result."""


@mistake(
    "special tokens are left out",
    why="They are in vocab and are decoded like all other tokens.",
    pitfall="special-tokens",
    change={"tokens.append(": "if token_id not in self.special_token_ids:\n    tokens.append("},
)
def decode_drops_special():
    """Special tokens are not part of the text that people read."""


@mistake(
    "U+FEFF at the beginning is lost",
    why='"utf-8-sig" removes a leading U+FEFF: decode as "utf-8".',
    pitfall="changed-text",
    change={'"utf-8"': '"utf-8-sig"'},
)
def decode_drops_the_mark():
    """utf-8-sig reads files with and without a mark at the beginning."""


@mistake(
    "invalid bytes are dropped",
    why='They become the replacement character: errors="replace", not "ignore".',
    pitfall="strict-utf8",
    has="nowhere: X.getincrementaldecoder(...) or X.replace(...) or X.rstrip(...) or X.strip(...)",
    change={'errors="replace"': 'errors="ignore"'},
)
def decode_ignore():
    """errors="ignore" keeps strange characters out of the text."""


@mistake(
    "something is put between the tokens",
    why='A token brings its own spaces: join the bytes with b"".',
    pitfall="changed-text",
    change={DECODED: '" ".join(token.decode("utf-8", errors="replace") for token in tokens)'},
)
def decode_joins_with_spaces():
    """Tokens are like words, and words have spaces between them."""


@mistake(
    "a KeyError for an ID that does not exist",
    why="Ask whether the ID is in vocab, and raise a ValueError that names it.",
    pitfall="unknown-id",
    change={EXISTS: "if False:"},
)
def decode_key_error():
    """An ID that is not in vocab raises an error by itself."""


@mistake(
    "bytes are read as characters",
    why="A byte above 127 is only part of a character: decode as UTF-8.",
    pitfall="str-for-bytes",
    change={'"utf-8", errors="replace"': '"latin-1"'},
)
def decode_latin_1():
    """Each byte is a character."""


@mistake(
    "only a list is accepted",
    why="IDs may come in an array, which has no pop: loop over them with for.",
    pitfall="unknown-id",
    change={"for token_id in ids:": "ids = ids.copy()\nwhile len(ids):\n    token_id = ids.pop(0)"},
)
def decode_pops():
    """I take IDs from the list until it is empty."""


@mistake(
    "an ID that exists is rejected",
    why="Raise the ValueError only for an ID that is not in vocab.",
    pitfall="unknown-id",
    has="raise X or raise X from Y",
    change={EXISTS: "if not 0 <= token_id < 256:", " in this vocabulary of {self.vocab_size}": ""},
)
def decode_refuses_known():
    """Special tokens and merges come after the 256 bytes; anything above 255 does not exist."""


@mistake(
    "an ID that does not exist is accepted",
    why="Lost text must not go unnoticed: raise a ValueError that names the ID.",
    pitfall="unknown-id",
    change=[
        {EXISTS: "if False:", "self.vocab[token_id]": f"self.vocab.get(token_id, {other})"}
        for other in ('b""', '"\ufffd".encode()')
    ],
)
def decode_skips_unknown():
    """An ID that is not in vocab should not stop the decoding."""


@mistake(
    "str made from bytes objects",
    why="str(b'H') gives the text \"b'H'\": join the bytes, then decode them.",
    pitfall="str-for-bytes",
    change=[
        {DECODED: '"".join(str(token) for token in tokens)'},
        *({DECODED: f'str({kind}(b"".join(tokens)))'} for kind in ("", "bytearray")),
    ],
)
def decode_str_of_bytes():
    """str makes text of anything, even of bytes."""


@mistake(
    "strict UTF-8",
    why='Bytes that are not valid UTF-8 must not raise an error: decode with errors="replace".',
    pitfall="strict-utf8",
    change={', errors="replace"': ""},
)
def decode_strict():
    """The bytes came from UTF-8, so they are UTF-8."""


@mistake(
    "characters of the text are lost",
    why="Whitespace and line endings are part of the text: return exactly what the bytes say.",
    pitfall="changed-text",
    change={'errors="replace")': 'errors="replace").strip()'},
)
def decode_strips():
    """The text should not begin or end with spaces."""


@mistake(
    "tokens are decoded one by one",
    why="The bytes of a character may be spread over several tokens: join all bytes, then decode once.",
    pitfall="token-by-token",
    change=[
        {DECODED: f'"".join(token.decode("utf-8", errors="{errors}") for token in tokens)'}
        for errors in ("replace", "strict", "ignore")
    ],
    has="in a loop: X.decode(...) or str(...) or chr(...)",
)
def decode_token_by_token():
    """Each token is a piece of text: decode it, then join the text."""


@mistake(
    "an array is used as a condition",
    why="IDs may come as an array, which is neither true nor false: loop over them without `if ids`.",
    pitfall="unknown-id",
    change={"tokens = []": 'if not ids:\n    return ""\ntokens = []'},
)
def decode_truth_of_array():
    """Without IDs the text is empty, so I check that first."""


@mistake(
    "the error does not name the ID",
    why="Put the ID that does not exist into the message.",
    pitfall="unknown-id",
    change={"token with ID {token_id} in this vocabulary of {self.vocab_size}": "such token"},
)
def decode_unnamed_error():
    """I raise a ValueError for an ID that does not exist."""


@mistake(
    "one invalid byte replaces the whole text",
    why='Only the invalid bytes become U+FFFD: decode with errors="replace", and the rest of the text stays.',
    pitfall="strict-utf8",
    change={
        f"return {DECODED}": 'try:\n    return b"".join(tokens).decode()\nexcept UnicodeDecodeError:\n    return "\\ufffd"'
    },
)
def decode_catches_the_error():
    """Invalid bytes become the replacement character."""


@mistake(
    "the decoder waits for the rest of a character",
    why='An incremental decoder keeps back bytes that may go on: at the end, call decode(b"", final=True) as well.',
    pitfall="strict-utf8",
    has="X.getincrementaldecoder(...)",
    change={
        f"return {DECODED}": 'import codecs\n\nreturn codecs.getincrementaldecoder("utf-8")("replace").decode(b"".join(tokens))'
    },
)
def decode_incrementally():
    """An incremental decoder puts characters together from the bytes of several tokens."""


@mistake(
    "replacement characters are removed",
    why="Leave them: they show where a character was cut, and one may be in the text itself.",
    pitfall="strict-utf8",
    has="X.replace(...) or X.rstrip(...) or X.strip(...)",
    change=[{DECODED: f"{DECODED}{removed}"} for removed in ('.replace("\\ufffd", "")', '.rstrip("\\ufffd")')],
)
def decode_removes_the_replacement():
    """The replacement character looks like an error, so I remove it."""

"""Checks and hints for the answers in notebook 04. coach/notebook_answers.py says how they are written."""

from types import SimpleNamespace

import numpy as np
from tokenizers.normalizers import Lowercase

from coach.notebook_answers import answer, in_place_of
from coach.teaching import call, check, check_that
from g2c.tokenizer import BPETokenizer


def trained(text="hiss hiss hiss", kind=BPETokenizer):
    """A tokenizer with a few merges: hi 256, his 257, hiss 258."""
    tokenizer = kind()
    tokenizer.train_exact(text, 259, progress=False)
    return tokenizer


class Lossy(BPETokenizer):
    """A tokenizer that loses capitals and spaces at the ends, and remembers which method was called first."""

    first = ""

    def encode(self, text):
        self.first = self.first or "encode"
        return BPETokenizer.encode_fast(self, text.strip().lower())

    encode_fast = encode_ordinary = encode_ordinary_fast = encode

    def decode(self, ids):
        self.first = self.first or "decode"
        return ids if isinstance(ids, str) else b"".join(map(self.vocab.get, ids)).decode()


@answer(
    hints=[
        "What does _get_pair_counts take, and how does a text become a list of bytes?",
        'list(text.encode("utf-8")) is a list of bytes, and your BPETokenizer()._get_pair_counts takes such a list.',
    ],
    wrong=[
        "counts = BPETokenizer()._get_pair_counts([ord(character) for character in text])",
        "counts = BPETokenizer()._get_pair_counts(list(set(text.encode())))",
        "counts = dict.fromkeys(zip(text.encode(), text.encode()[1:]), 1)",
    ],
)
def most_frequent_pairs(function):
    pairs = [((97, 97), 3), ((97, 98), 2), ((98, 97), 1)]
    check(call(function, "aaaabab", 3), pairs, idea="aa occurs three times, ab twice, ba once.")
    idea = "é is two bytes, 195 and 169: the pairs are pairs of bytes, not of characters."
    check(call(function, "éé", 1), [((195, 169), 2)], idea=idea)


@answer(
    hints=[
        "tokenizer.train_step(ids, new_id) returns three things. Give all three a name, in one line.",
        "The three are the new IDs, the pair and its count, and the next round continues with the new IDs.",
    ],
    wrong=[
        "_, pair, count = tokenizer.train_step(ids, new_id)",
        "ids, pair, count = tokenizer.train_step(list(text.encode('utf-8')), new_id)",
        "ids, pair, count = tokenizer.train_step(ids, 256)",
    ],
)
def merge_steps(function):
    rows = [["256", "(97, 98)", "4", "ab", "5"], ["257", "(256, 256)", "2", "abab", "3"]]
    idea = "Each step continues with the IDs that the step before it returned, and its token gets the ID new_id."
    outcome = call(function, "abab_abab", 2)
    if outcome.error is None:
        outcome = outcome.seen_as(lambda table: table.rows, "the table's rows")
    check(outcome, rows, idea=idea)


@answer(
    hints=[
        "Encode the text, and decode the result. What must that equal?",
        "A comparison such as one == other is True or False: return it. encode is the inner call.",
    ],
    wrong=[
        "return True",
        "return len(tokenizer.decode(tokenizer.encode(text))) == len(text)",
        "return tokenizer.encode(tokenizer.decode(tokenizer.encode(text))) == tokenizer.encode(text)",
        "tokenizer.decode(tokenizer.encode(text)) == text",
        "return tokenizer.encode(tokenizer.decode(text)) == text",
        "return tokenizer.decode(tokenizer.encode(text)).strip() == text.strip()",
        "return tokenizer.encode(text) == list(text.encode())",
    ],
)
def comes_back(function):
    lossy = trained("kind kind", Lossy)
    outcome = call(function, lossy, "kind").shown_as('comes_back(tokenizer, "kind")')
    if lossy.first == "decode":
        idea = "encode turns text into IDs, and decode IDs into text: encode comes first, and decode takes its result."
        check(outcome.seen_as(lambda _: lossy.first, "the method called first"), "encode", idea=idea)
    check(outcome, True, idea="This tokenizer gives back what is in lowercase.")
    outcome = call(function, lossy, "Kind").shown_as('comes_back(tokenizer, "Kind")')
    check(outcome, False, idea='This one loses capitals: "Kind" comes back as "kind".')
    outcome = call(function, lossy, "kind ").shown_as('comes_back(tokenizer, "kind ")')
    check(outcome, False, idea='A space at the end is text, too: "kind " comes back as "kind".')


@answer(
    hints=[
        "Three parts: one ID for <|role|>, the IDs of the text, one ID for <|end|>. The name of the first is "
        'f"<|{role}|>".',
        "The part in the middle is the newline and the content. encode would find special tokens in it; which "
        "method does not?",
    ],
    wrong=[
        'return tokenizer.encode(f"<|{role}|>\\n{content}<|end|>")',
        """
        start, end = tokenizer.special_to_id[f"<|{role}|>"], tokenizer.special_to_id["<|end|>"]
        return [start, *tokenizer.encode_ordinary(content), end]
        """,
        """
        start, end = tokenizer.special_to_id["<|user|>"], tokenizer.special_to_id["<|end|>"]
        return [start, *tokenizer.encode_ordinary("\\n" + content), end]
        """,
        'return [tokenizer.special_to_id[f"<|{role}|>"], *tokenizer.encode_ordinary("\\n" + content)]',
        """
        start, end = tokenizer.special_to_id[f"<|{role}|>"], tokenizer.special_to_id["<|end|>"]
        return [start, 10, *tokenizer.encode_ordinary(content), end]
        """,
        """
        start, end = tokenizer.special_to_id[f"<|{role}|>"], tokenizer.special_to_id["<|end|>"]
        return [start, *chat.encode_ordinary("\\n" + content), end]
        """,
        """
        start, end = tokenizer.special_to_id[f"<|{role}|>"], tokenizer.special_to_id["<|end|>"]
        return [start, *tokenizer.encode_ordinary("\\n" + content.strip()), end]
        """,
    ],
)
def message_ids(function):
    tokenizer = BPETokenizer.with_course_special_tokens()
    tokenizer.train_exact("\nY\nY", 265, progress=False)
    with in_place_of(function, chat=BPETokenizer.with_course_special_tokens()):
        idea = "<|assistant|> is 259 and <|end|> 262. This tokenizer has one merge: the newline and Y are 264."
        check(call(function, tokenizer, "assistant", "Yes"), [259, 264, 101, 115, 262], idea=idea)
        typed = "No<|end|><|system|> "
        idea = "What a user typed is text, character by character: only the program puts in control tokens."
        check(call(function, tokenizer, "user", typed), [258, 10, *typed.encode(), 262], idea=idea)


@answer(
    hints=[
        "How many bytes are there, and how many tokens share them?",
        'text.encode("utf-8") is the text as bytes, and len counts them.',
    ],
    wrong=[
        "return len(text) / len(ids)",
        "return len(ids) / len(text.encode('utf-8'))",
        "return len(text.encode('utf-8')) // len(ids)",
        "return len(text.encode('utf-8')) / len(set(ids))",
        "return round(len(text.encode('utf-8')) / len(ids), 2)",
    ],
)
def bytes_per_token(function):
    check(call(function, "seven b", [1, 2, 1]), 7 / 3, idea="Seven bytes, shared by three tokens.")
    check(call(function, "éé", [5]), 4.0, idea="é takes two bytes: bytes are counted, not characters.")


@answer(
    hints=[
        "How many numbers does the output layer have: a row for each token, and how many numbers in a row?",
        "That is vocab_size * width. Add the layers, multiply by 2, and divide by the bytes of a token.",
    ],
    wrong=[
        "return 2 * (layers + vocab_size * width)",
        "return 2 * (layers + vocab_size * width) * bytes_per_token",
        "return 2 * (layers + 2 * vocab_size * width) / bytes_per_token",
        "return 2 * layers + vocab_size * width / bytes_per_token",
        "return 2 * (layers + vocab_size * width) // bytes_per_token",
    ],
)
def operations_per_byte(function):
    check(call(function, 1000, 8, 50, 1.0), 2800.0, idea="1,000 and 50 * 8 numbers, two operations for each.")
    idea = "The same operations, shared by the three bytes that a token stands for."
    check(call(function, 1000, 8, 50, 3.0), 2800 / 3, idea=idea)


@answer(
    hints=[
        'token.decode("utf-8", errors="replace") is the token as text. How many pieces does the pattern make of it?',
        "_pieces yields one piece after another: make a list of them and look at its length.",
    ],
    wrong=[
        'return b" " in token',
        "return len(list(walled._pieces(token.decode('utf-8')))) > 1",
        "return len(list(walled._pieces(token.decode('utf-8', errors='ignore')))) > 1",
        "return len(list(walled._pieces(token.decode('utf-8', errors='replace')))) >= 1",
        "return len(token.split()) > 1",
    ],
)
def crosses_a_boundary(function):
    with in_place_of(function, walled=BPETokenizer(pattern="gpt2")):
        idea = "A space belongs to the word after it, so this is one piece."
        check(call(function, b" sir"), False, idea=idea)
        check(call(function, b"sir "), True, idea="The space at the end begins another piece.")
        check(call(function, b"r,"), True, idea="Letters and punctuation are different pieces.")
        check(call(function, b"\xe2\x82"), False, idea="Half a character is one piece, and no error.")
        check(call(function, b"a\xe2\x82"), True, idea="Half a character after a letter is a piece of its own.")


class Pieces:
    """The pieces into which a pattern cuts a text."""

    def __init__(self, text):
        self.text = text

    def __call__(self, pattern):
        if pattern is None:
            raise TypeError("Without a pattern, the text is one piece.")
        return [piece.decode() for piece in BPETokenizer(pattern=pattern)._pieces(self.text)]


@answer(
    hints=[
        r"Copy GPT-2's pattern and change the alternative for digits: instead of any number of them, \p{N}{1,3}.",
        r"A look-ahead after the group says what must follow it: groups of three digits, (?:\p{N}{3})*, and then no "
        r"further digit, (?!\p{N}).",
    ],
    wrong=[
        r"""return r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+" """,
        r"""return r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+" """,
        r"""return r" ?\p{L}+| ?\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+" """,
        r"""return r" ?\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N}))" """,
        r"""return r"'[stmd]|'re|'ve|'ll| ?\p{L}+| ?\p{N}{1,3}(?=(?:\p{N}{3})*\b)| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+" """,
        r"""return r"'[stmd]|'re|'ve|'ll| ?\p{L}+| ?\d{1,3}(?=(?:\d{3})*(?!\d))| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+" """,
    ],
)
def grouped_from_the_right(function):
    outcome = call(function)
    try:
        BPETokenizer(pattern=outcome.value)
    except (TypeError, ValueError) as error:
        check_that(False, outcome, "a regex", idea=f"It cannot be read: {str(error).rpartition(': ')[2]}")
    groups = {
        "1234567": ["1", "234", "567"],
        "in 234567 days": ["in", " 234", "567", " days"],
        "7 or 12": ["7", " or", " 12"],
        "1234567km": ["1", "234", "567", "km"],
        "10² m": ["10²", " m"],
        "She'll pay!": ["She", "'ll", " pay", "!"],
        "a  b\n": ["a", " ", " b", "\n"],
    }
    for text, pieces in groups.items():
        idea = "Groups of three digits from the right; everything else as GPT-2's pattern has it, spaces included."
        check(outcome.seen_as(Pieces(text), f"the pieces of {text!r}"), pieces, idea=idea)


class Corpus:
    """A corpus with this text."""

    def __init__(self, text):
        self.text = text

    def __repr__(self):
        return "the corpus"


class Recorder(BPETokenizer):
    """A tokenizer that writes down how it was trained and saved."""

    def __init__(self):
        super().__init__()
        self.trained, self.saved = [], []

    def train_exact(self, text, vocab_size, **_):
        self.trained.append((len(text), vocab_size))
        return super().train_exact(text, 267, progress=False)

    def save_artifact(self, name_or_folder, ids, *, corpus=None, train=None):
        self.saved.append({"name": name_or_folder, "ids": list(ids), "corpus": corpus, "train": train})


@answer(
    hints=[
        "Two lines: train_exact(text, vocab_size=...) returns IDs, and save_artifact writes them.",
        'The size is how["vocab_size"]. The second line is in the comment, with the IDs that the first one returned.',
    ],
    wrong=[
        "ids = tokenizer.train_exact(text, vocab_size=how['vocab_size'])",
        "ids = tokenizer.train_exact(text, vocab_size=1024)\ntokenizer.save_artifact(NAME, ids, corpus=corpus, "
        "train=how)",
        "ids = tokenizer.train_exact(text[:1000], vocab_size=4096)\n"
        "tokenizer.save_artifact(NAME, ids, corpus=corpus, train=how)",
        "ids = tokenizer.train_exact(text, vocab_size=4096)\ntokenizer.save_artifact(NAME, ids)",
        "ids = shakespeare.train_exact(text, vocab_size=300)\nshakespeare.save_artifact('Other', ids)",
        "tokenizer.train_exact(text, vocab_size=4096)\n"
        "tokenizer.save_artifact(NAME, list(text.encode()), corpus=corpus, train=how)",
    ],
)
def train_and_save(function):
    recorder = Recorder()
    corpus = Corpus("la" * 1500)
    facts = {"corpus": corpus, "how": {"algorithm": "train_exact", "vocab_size": 4096}, "NAME": "Name"}
    with in_place_of(function, text=corpus.text, shakespeare=recorder, **facts):
        outcome = call(function, recorder).shown_as("train_and_save(tokenizer)")
        outcome.value
        idea = "The whole text, and 4,096 tokens."
        check(
            outcome.seen_as(lambda _: recorder.trained, "(characters, tokens) of each training"),
            [(3000, 4096)],
            idea=idea,
        )
        ids = recorder.encode_fast(corpus.text)
        saved = [{"name": "Name", "ids": ids, "corpus": corpus, "train": facts["how"]}]
        idea = "Saved once, under NAME, with the IDs that train_exact returned, the corpus and how it was done."
        check(outcome.seen_as(lambda _: recorder.saved, "what was saved"), saved, idea=idea)


class WrongEncode(BPETokenizer):
    """A tokenizer whose encode disagrees with the library."""

    def encode(self, text):
        return [0]


@answer(
    hints=[
        "A dictionary with four entries: a description in words, and a comparison with ==, which is True or False.",
        "Compare: loaded.merges with shakespeare.merges; loaded.decode(saved_ids) with text; the library's "
        "IDs of text with saved_ids; loaded.encode(sample) with the library's IDs of sample.",
    ],
    wrong=[
        'return {"merges": True, "decoded": True, "library": True, "encode": True}',
        """
        return {
            "merges": loaded.merges == shakespeare.merges,
            "decoded": loaded.decode(saved_ids) == text,
            "library": library.encode(text).ids == saved_ids,
        }
        """,
        """
        return {
            "merges": loaded.merges == loaded.merges,
            "decoded": loaded.decode(saved_ids) == text,
            "library": library.encode(text).ids == saved_ids,
            "encode": loaded.encode(sample) == library.encode(sample).ids,
        }
        """,
        """
        return {
            "merges": loaded.merges == shakespeare.merges,
            "decoded": loaded.decode(saved_ids) == text,
            "library": library.encode(text).ids == saved_ids,
            "encode": library.encode(sample).ids == library.encode(sample).ids,
        }
        """,
        """
        return {
            "merges": loaded.merges == shakespeare.merges,
            "decoded": loaded.decode(saved_ids) == text,
            "library": library.encode(sample).ids == loaded.encode(sample),
            "encode": loaded.encode(sample) == library.encode(sample).ids,
        }
        """,
        """
        return {
            "merges": loaded.merges == shakespeare.merges,
            "decoded": len(loaded.decode(saved_ids)) == len(text),
            "library": library.encode(text).ids == saved_ids,
            "encode": loaded.encode(sample) == library.encode(sample).ids,
        }
        """,
    ],
)
def checks(function):
    text = "his hiss, her hiss"
    # The merges of `other` are of no use for `sample`.
    good, other = trained(), trained("ss, ss, ss,")
    ids, lowercase = good.encode_fast(text), good.to_hf()
    lowercase.normalizer = Lowercase()
    wrong = trained(kind=WrongEncode)
    right = {
        "text": text,
        "sample": "her",
        "saved_ids": ids,
        "shakespeare": good,
        "loaded": good,
        "library": good.to_hf(),
    }
    faults = {
        "no fault": {},
        "other merges in `shakespeare`": {"shakespeare": other},
        "saved IDs of which the last is missing": {"saved_ids": ids[:-1]},
        "a library that has read another file": {"library": other.to_hf()},
        "capitals in the corpus that the library and the saved IDs lack": {"text": text.title(), "library": lowercase},
        "an encode that disagrees with the library": {"loaded": wrong, "shakespeare": wrong},
    }
    for fault, changed in faults.items():
        values = right | changed
        artifact = SimpleNamespace(tokenizer=values["loaded"], ids=np.array(values["saved_ids"], dtype=np.uint32))
        with in_place_of(function, artifact=artifact, corpus=Corpus(values["text"]), **values):
            outcome = call(function).shown_as(f"checks(), with {fault}")
            outcome.value
        if not changed:
            check(outcome.seen_as(len, "the number of checks"), 4, idea="The comments ask for four.")
            is_dictionary = outcome.seen_as(lambda found: isinstance(found, dict), "whether it is a dictionary")
            check(is_dictionary, True, idea="Each description is a key, and its value is True or False.")
        idea = "Without a fault each check is true; with one, at least one of them must be false."
        check(outcome.seen_as(lambda found: all(found.values()), "whether all are true"), not changed, idea=idea)

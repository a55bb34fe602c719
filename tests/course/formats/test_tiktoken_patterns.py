"""A tokenizer with a pattern of its own gives the same IDs in tiktoken, or is not exported to it."""

import json
import random

import pytest
import tokenizers
from tokenizers import Regex, normalizers

from g2c.corpus.verify import check_agreement
from g2c.formats.hf_format import UnsupportedTokenizer, to_hf_dict
from g2c.formats.interop import from_hf, from_ranks
from g2c.formats.tiktoken_patterns import from_tiktoken_pattern, to_tiktoken_pattern
from g2c.tokenizer import BPETokenizer
from g2c.tokenizer.patterns import PATTERNS, TIKTOKEN_PATTERNS, split_by_pattern

pytestmark = pytest.mark.interop
tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed (pip install -e '.[interop]')")
openai_public = pytest.importorskip("tiktoken_ext.openai_public")

CHARACTERS = "\u200d½aAbBsStfi19 \n'.-ſKé中ß\t\r\u0085\u2028"


@pytest.fixture(scope="module")
def ranks():
    """Every two bytes of `CHARACTERS` are a token, so that IDs show where pieces end."""
    found = {bytes([byte]): byte for byte in range(256)}
    used = sorted(set(CHARACTERS.encode()))
    for left in used:
        for right in used:
            found[bytes([left, right])] = len(found)
    return found


def texts(count, seed=1):
    chosen = random.Random(seed)
    return ["".join(chosen.choices(CHARACTERS, k=chosen.randint(0, 14))) for _ in range(count)]


@pytest.mark.parametrize(
    "pattern",
    [
        "[a-z]+",
        r"\w+|\W",
        "a(?=b)|b{2}|[^\\s'-]",
        ".+$|\\s",
        "^a|[^b]{1,3}^|b",
        "a++|\\p{N}{1,3}|(?i:'s|'t|[sdmt]a)|(?!a|f)b",
        "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,2}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]"
        "|\\s+(?!\\S)|\\s+",
        None,
        "gpt2",
        "gpt4",
    ],
)
def test_an_own_pattern_gives_the_same_ids_in_tiktoken_and_comes_back(ranks, pattern):
    tokenizer = from_ranks(ranks, {}, pattern, BPETokenizer)
    encoding = tokenizer.to_tiktoken()
    for text in texts(400):
        assert encoding.encode_ordinary(text) == tokenizer.encode(text), (
            f"tiktoken splits {text!r} in another way by {encoding._pat_str!r} than the course by {pattern!r}"
        )
    assert BPETokenizer.from_tiktoken(encoding).pattern == tokenizer.pattern


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        (r"\p{N}{1,3}+|\P{N}+", "+|"),
        ("[[:alpha:]]+|[^[:alpha:]]+", "[[:alpha:]]+"),
        (r"[\w.]+|[^\w.]", r"[\w.]+"),
        (r"\bs|.", r"\bs"),
        ("(?i)a|b", "(?i)a|b"),
        ("(?i:ss)|a", "(?i:ss)|a"),
        ("ba{2}?|b", "?|b"),
        ("(?:a?)+b", "+b"),
        ("(?=bz)|b", "as a whole"),
        ("[a-z&&[^b]]", "[a-z&&[^b]]"),
        (r"\h|a", r"\h|a"),
        (r"(a)b\1", r"\1"),
        ("(?<=a+)b|c", "(?<=a+)b|c"),
        ("a{5,2}|b", "{5,2}|b"),
    ],
)
def test_a_pattern_that_could_give_other_ids_is_refused_with_the_place(pattern, part):
    tokenizer = BPETokenizer(pattern=pattern)
    with pytest.raises(UnsupportedTokenizer) as error:
        tokenizer.to_tiktoken()
    assert "may have another meaning in tiktoken's regex engine" in str(error.value)
    assert ("as a whole" if part == "as a whole" else f"from {part!r}"[:-1]) in str(error.value)
    (tiktoken_check,) = [check for check in check_agreement(tokenizer, ["a b"]) if check.subject == "tiktoken"]
    assert tiktoken_check.passed is None, "g2c verify skips what it cannot compare"
    assert str(error.value) == tiktoken_check.detail


def test_what_tiktoken_itself_refuses_is_one_sentence():
    with pytest.raises(UnsupportedTokenizer, match="tiktoken cannot read the pattern .*1000}.*: "):
        BPETokenizer(pattern=r"(?:\p{L}{1000}){1000}|b").to_tiktoken()


def test_tiktokens_patterns_with_another_meaning_are_not_taken_over():
    for pattern in (r"[^\n]+$|\n", r"[[:alpha:]]+|[^[:alpha:]]+"):
        with pytest.raises(UnsupportedTokenizer):
            from_tiktoken_pattern(pattern)


# --- tiktoken's own patterns ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def published(monkeypatch_module):
    """Name -> tiktoken's pattern, from its own source. The tables themselves are not needed."""
    monkeypatch_module.setattr(openai_public, "load_tiktoken_bpe", lambda *args, **options: {})
    monkeypatch_module.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda *args, **options: {})
    return {name: make()["pat_str"] for name, make in openai_public.ENCODING_CONSTRUCTORS.items()}


@pytest.fixture(scope="module")
def monkeypatch_module():
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.mark.parametrize("name", ["gpt2", "r50k_base", "p50k_base", "cl100k_base", "o200k_base"])
def test_the_constructor_means_by_tiktokens_patterns_what_tiktoken_means(ranks, published, name):
    tokenizer = from_ranks(ranks, {}, published[name], BPETokenizer)
    encoding = tiktoken.Encoding(name, pat_str=published[name], mergeable_ranks=ranks, special_tokens={})
    for text in [*texts(400), "123456 it's\n\n a", "a \n b  ", "I'LL x'ſ 1\n\n\n2", "a\n  "]:
        assert tokenizer.encode(text) == encoding.encode_ordinary(text), f"{name} splits {text!r} in another way"
    assert BPETokenizer.from_tiktoken(encoding).pattern == tokenizer.pattern
    assert BPETokenizer.from_tiktoken(tokenizer.to_tiktoken()).pattern == tokenizer.pattern


def test_cl100k_is_the_course_pattern_gpt4_unless_a_token_goes_on_after_a_line_end(ranks, published):
    """Without such a token both give the same IDs, and the engine in numpy knows the pattern gpt4."""
    without = {bytes([byte]): byte for byte in range(256)}
    for token in ranks:
        if len(token) == 2 and token[0] not in b"\r\n":
            without[token] = len(without)
    encoding = tiktoken.Encoding("own", pat_str=published["cl100k_base"], mergeable_ranks=without, special_tokens={})
    tokenizer = BPETokenizer.from_tiktoken(encoding)
    assert tokenizer.pattern == PATTERNS["gpt4"]
    for text in [*texts(400), "a \n ", "\r\n  ", " \n \t"]:
        assert tokenizer.encode(text) == encoding.encode_ordinary(text)


def test_a_tokenizer_json_with_a_pattern_of_tiktoken_is_refused():
    """`tokenizers` reads the pattern in its own way, so the name must not stand for another one."""
    for pattern in TIKTOKEN_PATTERNS:
        data = to_hf_dict(BPETokenizer(pattern="gpt4"))
        data["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = pattern
        with pytest.raises(UnsupportedTokenizer, match="is a regex of tiktoken"):
            from_hf(tokenizers.Tokenizer.from_str(json.dumps(data)), BPETokenizer)


# --- random patterns --------------------------------------------------------------------------------------------------


class Patterns:
    """Random regexes of what both engines have, with much that the export must refuse."""

    def __init__(self, seed):
        self.chosen = random.Random(seed)

    def one_of(self, *options):
        return self.chosen.choice(options)

    def characters(self):
        kind = self.chosen.random()
        if kind < 0.4:
            return self.one_of(*"abAsfi1 '-é中ſ.")
        if kind < 0.6:
            return self.one_of(
                r"\s", r"\S", r"\d", r"\p{L}", r"\p{N}", r"\p{Lu}", r"\P{L}", r"\n", r"\.", r"\w", "[[:alpha:]]"
            )
        if kind < 0.9:
            members = [self.one_of("a-f", "b", "s", r"\s", r"\p{L}", r"\p{N}", "1", "é", "A-Z", "'") for _ in range(3)]
            return "[" + self.one_of("", "^") + "".join(members) + "]"
        return "(?i:" + "|".join(self.one_of("'s", "a", "[sdmt]", "re", "ss", "fa") for _ in range(2)) + ")"

    def element(self, depth):
        kind = self.chosen.random()
        if kind < 0.07:
            return self.one_of("^", "$", r"\A", r"\z")
        if depth and kind < 0.25:
            return self.one_of("(?=", "(?!") + self.alternatives(depth - 1) + ")"
        repeated = self.characters()
        if depth and kind < 0.5:
            repeated = self.one_of("(?:", "(", "(?>") + self.alternatives(depth - 1) + ")"
        counts = ("*", "+", "?", "*?", "+?", "??", "*+", "++", "?+", "{2}", "{1,3}", "{1,}", "{1,2}?", "{2}?", "{1,3}+")
        return repeated + self.one_of(*[""] * 10, *counts)

    def alternatives(self, depth):
        sequences = [
            "".join(self.element(depth) for _ in range(self.one_of(1, 2, 3))) for _ in range(self.one_of(1, 2))
        ]
        return "|".join(sequences)


def compare_random_patterns(ranks, count, seed):
    plain = tiktoken.Encoding("plain", pat_str=r"[\s\S]+", mergeable_ranks=ranks, special_tokens={})
    patterns, samples, compared = Patterns(seed), texts(100, seed), 0
    for _ in range(count):
        pattern = patterns.alternatives(2)
        try:
            written = to_tiktoken_pattern(BPETokenizer(pattern=pattern).pattern)
            encoding = tiktoken.Encoding("own", pat_str=written, mergeable_ranks=ranks, special_tokens={})
        except ValueError:
            continue
        compared += 1
        assert from_tiktoken_pattern(written) == pattern
        for text in samples:
            pieces = split_by_pattern(text, pattern)
            expected = [token_id for piece in pieces for token_id in plain.encode_ordinary(piece)]
            assert encoding.encode_ordinary(text) == expected, f"tiktoken splits {text!r} by {pattern!r} in another way"
    return compared


def test_random_patterns_are_the_same_or_refused(ranks):
    assert compare_random_patterns(ranks, 20, seed=1) > 2


@pytest.mark.whole
def test_many_random_patterns_are_the_same_or_refused(ranks):
    assert compare_random_patterns(ranks, 6000, seed=2) > 1000


@pytest.mark.whole
@pytest.mark.parametrize(
    "part",
    [r"\s", r"\d", r"\p{L}", r"\p{Lu}", r"\p{M}", r"\p{N}", r"\p{P}", r"\p{S}", r"\p{C}", r"\p{Han}", "(?i:[a-z])"],
)
def test_a_class_has_the_same_characters_in_both_engines(ranks, part):
    encoding = tiktoken.Encoding("own", pat_str=part, mergeable_ranks=ranks, special_tokens={})
    replace = normalizers.Replace(Regex(part), "")
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    for begin in range(0, len(every), 4096):
        text = "".join(every[begin : begin + 4096])
        rest = set(replace.normalize_str(text))
        assert encoding.decode(encoding.encode_ordinary(text)) == "".join(char for char in text if char not in rest)

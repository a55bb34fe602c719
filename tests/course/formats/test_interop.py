"""What the course saves is right in transformers, tokenizers and tiktoken; what they save is read back, or refused.

    G2C_EXAMPLES=10000 pytest --solutions tests/course/formats/test_interop.py \\
        tests/course/corpus/test_published_tokenizers.py

runs the random texts 10,000 times instead of thirty.
"""

from itertools import product

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.common.errors import CorpusError
from g2c.corpus.published_tokenizers import load_published
from g2c.tokenizer import (
    COURSE_SPECIAL_TOKENS,
    BPETokenizer,
    character_spans,
    encode_chat,
    load,
    loss_mask,
    save,
    save_artifact,
)
from g2c.tokenizer.patterns import EXAMINED, PATTERNS, split_by_pattern

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")]
tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed (pip install -e '.[interop]')")
transformers = pytest.importorskip("transformers", reason="transformers is not installed (pip install -e '.[interop]')")

CONVERTED = [name for name, regex in PATTERNS.items() if regex in EXAMINED]
by_pattern = pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"])

CORPUS = (
    "She sells sea shells on the sea shore; the shells that she sells are sea shells, I'm sure.\n"
    "def f(x):\n    return x ** 2  # 12345 naïve café 日本語 Привет 👋🏽\n"
) * 4
MIXED = st.lists(
    st.one_of(
        st.text(max_size=8),
        st.sampled_from(
            [*COURSE_SPECIAL_TOKENS, "<|end", "|>", " she", " sells", "  ", "\n\n", "I'm", "12345", "日本", "👋🏽", "ſ"]
        ),
    ),
    max_size=8,
).map("".join)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Pattern -> (our tokenizer, the same one in tokenizers, transformers and tiktoken)."""
    found = {}
    for pattern in (None, "gpt2", "gpt4"):
        tokenizer = BPETokenizer.with_course_special_tokens(pattern=pattern)
        tokenizer.train_exact(CORPUS, 400, progress=False)
        folder = save_artifact(tokenizer, tmp_path_factory.mktemp("saved") / "sea", tokenizer.encode_fast(CORPUS))
        auto = transformers.AutoTokenizer.from_pretrained(str(folder))
        found[pattern] = tokenizer, tokenizer.to_hf(), auto, tokenizer.to_tiktoken()
    return found


# --- the same IDs everywhere ------------------------------------------------------------------------------------------


@by_pattern
@given(text=MIXED)
@pytest.mark.timeout(0)
def test_every_library_gives_our_ids_on_random_texts(libraries, pattern, text):
    ours, rust, auto, tik = libraries[pattern]
    ids = ours.encode(text)
    assert rust.encode(text).ids == auto.encode(text) == tik.encode(text, allowed_special="all") == ids
    assert ours.encode_fast(text) == ids
    ordinary = ours.encode_ordinary(text)
    assert ours.encode_ordinary_fast(text) == tik.encode_ordinary(text) == ordinary
    assert not ours.special_token_ids.intersection(ordinary), "no text gives the ID of a special token"
    assert auto.decode(ids) == rust.decode(ids, skip_special_tokens=False) == ours.decode(ids) == text
    assert rust.encode(text).offsets == character_spans([ours.vocab[token_id] for token_id in ids])


# --- there and back ---------------------------------------------------------------------------------------------------


def same(one, other) -> bool:
    parts = ("merges", "vocab", "byte_ids", "special_to_id", "pattern")
    return all(getattr(one, part) == getattr(other, part) for part in parts)


@by_pattern
def test_what_the_libraries_have_and_save_is_read(libraries, pattern, tmp_path):
    ours, rust, auto, tik = libraries[pattern]
    assert same(BPETokenizer.from_hf(rust), ours) and same(BPETokenizer.from_hf(auto), ours)
    rust.save(str(tmp_path / "rust.json"))
    assert same(load(tmp_path / "rust.json"), ours)
    auto.save_pretrained(str(tmp_path / "auto"))
    assert same(load(tmp_path / "auto"), ours)
    auto(["she", "she sells"], padding=True, truncation=True, max_length=4)
    auto.save_pretrained(str(tmp_path / "padded"))
    with pytest.warns(UserWarning, match="(padding|truncation) is dropped"):
        assert same(load(tmp_path / "padded"), ours)


# --- patterns ---------------------------------------------------------------------------------------------------------


ODD = "aAsfi19 \n\r\t'.ſKé中\u0085\u2028/"
PAIRS = [bytes([byte]) for byte in range(256)] + [bytes(pair) for pair in product(sorted({*ODD.encode()}), repeat=2)]
RANKS = {token: rank for rank, token in enumerate(PAIRS)}


@pytest.mark.parametrize("name", CONVERTED)
@given(text=st.text(st.sampled_from(ODD), max_size=14))
def test_a_pattern_that_is_said_to_be_the_same_in_tiktoken_is(name, text):
    """IDs show where pieces end: any two bytes of these characters are a token."""
    theirs, whole = (
        tiktoken.Encoding("own", pat_str=regex, mergeable_ranks=RANKS, special_tokens={})
        for regex in (PATTERNS[name], r"[\s\S]+")
    )
    expected = [whole.encode_ordinary(piece) for piece in split_by_pattern(text, PATTERNS[name])]
    assert theirs.encode_ordinary(text) == [token_id for ids in expected for token_id in ids]


# --- readers that take fewer forms of tokenizer.json ------------------------------------------------------------------

HARD = (
    "She sells sea shells, I'll 'tis: 12345 naïve 日本語 👋🏽\n  def f(x):\n    return x<|endoftext|>  she\t\n\n sells"
)


@pytest.mark.parametrize("client", ["fastokens", "basetenkenizer", "gigatoken"])
@pytest.mark.parametrize("name", [*CONVERTED, "published gpt2", "published cl100k"])
def test_a_tokenizer_of_the_course_and_a_published_one_are_read(client, name, tmp_path):
    library = pytest.importorskip(client, reason=f"{client} is not installed (pip install -e '.[check]')")
    if name in PATTERNS:
        tokenizer = BPETokenizer.with_course_special_tokens(pattern=name)
        tokenizer.train_exact(HARD.replace("<|endoftext|>", " ") * 9, 320, progress=False)
    else:
        try:
            tokenizer = load_published(name.split()[1])
        except CorpusError:
            pytest.skip(f"The table of {name} is not here: ./datasets.sh {name.split()[1]}")
    file = str(tokenizer.save(tmp_path / "tokenizer.json"))
    found = (library.Tokenizer(file) if client == "gigatoken" else library.Tokenizer.from_file(file)).encode(HARD)
    assert numpy.asarray(getattr(found, "ids", found)).tolist() == tokenizer.encode_fast(HARD)


# --- conversations ----------------------------------------------------------------------------------------------------

CONVERSATION = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What time is it in Zürich? 👋"},
    {"role": "assistant", "content": "Half past twelve."},
    {"role": "assistant", "content": ""},
]
WRITTEN = (
    "<|system|>\nBe brief.<|end|><|user|>\nWhat time is it in Zürich? 👋<|end|>"
    "<|assistant|>\nHalf past twelve.<|end|><|assistant|>\n<|end|>"
)


@pytest.mark.parametrize("prompt", [True, False])
def test_the_template_writes_what_encode_chat_encodes(libraries, prompt):
    ours, _, auto, _ = libraries["gpt4"]
    text = auto.apply_chat_template(CONVERSATION, tokenize=False, add_generation_prompt=prompt)
    assert text == WRITTEN + ("<|assistant|>" if prompt else "")
    ids = encode_chat(ours, CONVERSATION, add_generation_prompt=prompt)
    assert ids == auto.encode(text) == ours.encode(text)
    assert ours.decode(ids) == text


def test_the_mask_of_the_assistant_covers_what_it_writes_up_to_the_end(libraries):
    ours, _, auto, _ = libraries["gpt4"]
    encoded = auto.apply_chat_template(CONVERSATION, tokenize=True, return_dict=True, return_assistant_tokens_mask=True)
    written = [
        token_id for token_id, mask in zip(encoded["input_ids"], encoded["assistant_masks"], strict=True) if mask
    ]
    assert auto.decode(written) == "\nHalf past twelve.<|end|>\n<|end|>"
    mask = loss_mask(encoded["input_ids"], ours.special_to_id["<|assistant|>"], ours.special_to_id["<|end|>"])
    assert mask.tolist() == encoded["assistant_masks"][1:], "module 04c trains on the same tokens"


@by_pattern
@given(messages=st.lists(st.tuples(st.sampled_from(["system", "user", "assistant"]), MIXED), min_size=1, max_size=4))
def test_nothing_that_is_typed_becomes_a_special_token(libraries, pattern, messages):
    ours, _, auto, _ = libraries[pattern]
    chat = [{"role": role, "content": content} for role, content in messages]
    ids = encode_chat(ours, chat)
    assert sum(token_id in ours.special_token_ids for token_id in ids) == 2 * len(messages)
    assert ours.decode(ids) == auto.apply_chat_template(chat, tokenize=False)


def test_a_message_of_another_form_is_refused_with_its_place(libraries):
    ours, _, auto, _ = libraries["gpt4"]
    right = {"role": "user", "content": "Hi"}
    stranger = right | {"role": "stranger"}
    for message in (stranger, {"role": "user"}, "Hi", right | {"content": ["Hi"]}, right | {"role": ["user"]}):
        with pytest.raises(ValueError, match="Message 1 is .*, but a message must be a dictionary with"):
            encode_chat(ours, [right, message])
    with pytest.raises(ValueError, match="has no special token <|assistant|>"):
        encode_chat(BPETokenizer(["<|end|>"]), [right])
    with pytest.raises(Exception, match="this one has stranger"):
        auto.apply_chat_template([stranger], tokenize=False)


def test_the_template_is_saved_only_with_the_tokens_that_it_uses(tmp_path, libraries):
    chat = libraries["gpt2"][0]
    save(chat, tmp_path)
    auto = transformers.AutoTokenizer.from_pretrained(str(tmp_path))
    assert auto.apply_chat_template(CONVERSATION, tokenize=False) == WRITTEN
    assert (auto.eos_token, auto.pad_token) == ("<|end|>", "<|pad|>"), "a chat ends at <|end|>"
    assert set(auto.all_special_ids) == chat.special_token_ids
    save(BPETokenizer(["<|endoftext|>", "<|end|>"]), tmp_path)
    auto = transformers.AutoTokenizer.from_pretrained(str(tmp_path))
    assert auto.eos_token == "<|endoftext|>", "without the tokens of a chat, generation ends with the document"
    assert auto.chat_template is None

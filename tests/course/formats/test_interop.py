"""What the course saves is right in transformers, tokenizers and tiktoken; what they save is read back, or refused.

    G2C_EXAMPLES=10000 pytest --solutions tests/course/formats/test_interop.py \\
        tests/course/corpus/test_published_tokenizers.py

runs the random texts 10,000 times instead of thirty.
"""

import copy
import json
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.common.errors import UnsupportedTokenizer
from g2c.formats.chat import CHAT_TOKENS, chat_template
from g2c.tokenizer import COURSE_SPECIAL_TOKENS, BPETokenizer, character_spans, encode_chat, load, save, save_artifact
from g2c.tokenizer.patterns import PATTERNS, TIKTOKEN_PATTERNS

pytestmark = [pytest.mark.interop, pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")]
tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed (pip install -e '.[interop]')")
transformers = pytest.importorskip("transformers", reason="transformers is not installed (pip install -e '.[interop]')")

by_pattern = pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"])

CORPUS = (
    "She sells sea shells on the sea shore; the shells that she sells are sea shells, I'm sure.\n"
    "def f(x):\n    return x ** 2  # 12345 naïve café 日本語 Привет 👋🏽\n"
) * 4
BYTES = {bytes([byte]): byte for byte in range(256)}
TIKTOKENS_GPT2, TIKTOKENS_GPT4 = TIKTOKEN_PATTERNS
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
def trained():
    """Pattern -> a tokenizer with the course's special tokens."""
    made = {}
    for pattern in (None, "gpt2", "gpt4"):
        made[pattern] = BPETokenizer.with_course_special_tokens(pattern=pattern)
        made[pattern].train_exact(CORPUS, 400, progress=False)
    return made


@pytest.fixture(scope="module")
def libraries(trained, tmp_path_factory):
    """Pattern -> (our tokenizer, the same one in tokenizers, transformers and tiktoken)."""
    found = {}
    for pattern, tokenizer in trained.items():
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
    back = BPETokenizer.from_tiktoken(tik)
    assert same(back, ours) and list(back.merges) == list(ours.merges)
    rust.save(str(tmp_path / "rust.json"))
    assert same(load(tmp_path / "rust.json"), ours)
    auto.save_pretrained(str(tmp_path / "auto"))
    assert same(load(tmp_path / "auto"), ours)
    auto(["she", "she sells"], padding=True, truncation=True, max_length=4)
    auto.save_pretrained(str(tmp_path / "padded"))
    assert same(load(tmp_path / "padded"), ours)


# --- patterns ---------------------------------------------------------------------------------------------------------


def test_tiktokens_spellings_of_the_patterns_are_known():
    """Its own source has them; the tables are not needed."""
    openai_public = pytest.importorskip("tiktoken_ext.openai_public")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openai_public, "load_tiktoken_bpe", lambda *_, **__: {})
        patch.setattr(openai_public, "data_gym_to_mergeable_bpe_ranks", lambda *_, **__: {})
        assert openai_public.gpt2()["pat_str"] == TIKTOKENS_GPT2
        assert openai_public.cl100k_base()["pat_str"] == TIKTOKENS_GPT4


@pytest.fixture(scope="module", params=TIKTOKEN_PATTERNS)
def spelled_by_tiktoken(request):
    """An encoding and our tokenizer. IDs show where pieces end: any two bytes are a token, except after a line end."""
    pairs = [bytes([one, other]) for one in range(1, 256) for other in range(1, 256) if one not in b"\r\n"]
    ranks = BYTES | {pair: rank for rank, pair in enumerate(pairs, start=256)}
    encoding = tiktoken.Encoding("own", pat_str=request.param, mergeable_ranks=ranks, special_tokens={})
    tokenizer = BPETokenizer.from_tiktoken(encoding)
    assert tokenizer.pattern == PATTERNS[TIKTOKEN_PATTERNS[request.param]]
    return encoding, tokenizer


@given(text=st.text(st.sampled_from("aAsfi19 \n\r\t'.ſKé中\u0085\u2028"), max_size=14))
def test_in_tiktokens_spelling_a_pattern_gives_the_same_ids(spelled_by_tiktoken, text):
    encoding, tokenizer = spelled_by_tiktoken
    assert tokenizer.encode_fast(text) == encoding.encode_ordinary(text)


def test_a_pattern_of_ones_own_is_not_given_to_tiktoken(tmp_path):
    tokenizer = BPETokenizer(pattern=r"\w+|\W")
    with pytest.raises(UnsupportedTokenizer, match="may split texts in another way in tiktoken's"):
        tokenizer.to_tiktoken()


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "special", "pattern", "reason"),
    [
        (BYTES | {b"the": 256}, {}, None, "No merge makes the token b'the'"),
        (BYTES | {b"th": 257}, {}, None, r"The merge \(116, 104\) -> 257, number 1, should have the ID 256"),
        (BYTES, {}, r"\p{L}++|\P{L}", "may split texts in another way here"),
        (BYTES | {b"\n ": 256}, {}, TIKTOKENS_GPT4, "may split texts in another way here"),
    ],
)
def test_encodings_of_tiktoken_that_cannot_be_expressed_are_refused(ranks, special, pattern, reason):
    class Encoding:
        _mergeable_ranks, _special_tokens, _pat_str = ranks, special, pattern or r"[\s\S]+"

    with pytest.raises(ValueError, match=reason):
        BPETokenizer.from_tiktoken(Encoding)
    for read, name in ((BPETokenizer.from_hf, "from_hf"), (BPETokenizer.from_tiktoken, "from_tiktoken")):
        with pytest.raises(TypeError, match=f"{name} takes a .* of type dict"):
            read({})


# --- vocabulary and merges, as in Stanford's CS336 --------------------------------------------------------------------


def test_from_vocab_is_the_inverse_of_vocab_and_merges(trained):
    """CS336 passes a vocabulary (ID -> bytes), merges (pairs of bytes), and a list of special tokens."""

    class Merge(NamedTuple):
        left: bytes
        right: bytes

    for (pattern, ours), form in zip(trained.items(), (tuple, list, Merge._make)):
        merges = [form((ours.vocab[left], ours.vocab[right])) for left, right in ours.merges]
        assert same(BPETokenizer.from_vocab(ours.vocab, merges, ours.special_tokens, pattern), ours)


def test_from_vocab_gives_special_tokens_their_ids_or_the_next_ones():
    vocab = {0: b"<|end|>"} | {byte + 1: bytes([byte]) for byte in range(256)} | {257: b"th", 258: b"the"}
    merges = [(b"t", b"h"), (b"th", b"e")]
    tokenizer = BPETokenizer.from_vocab(vocab, merges, ["<|end|>", "<|end|><|end|>"], "gpt2")
    assert tokenizer.encode("the<|end|><|end|>e<|end|>") == [258, 259, 102, 0]
    assert tokenizer.encode_fast("the<|end|><|end|>e<|end|>") == [258, 259, 102, 0]
    # Without it among the special tokens, its text is plain text, but its ID is still decoded.
    plain = BPETokenizer.from_vocab(vocab, merges)
    assert 0 not in plain.encode("the<|end|>") and plain.decode([0, 258]) == "<|end|>the"
    for wrong_merges, problem in (
        ([*merges, (b"q", b"q")], "the vocabulary has no token b'qq'"),
        ([(b"th", b"e"), (b"t", b"h")], r"-> 257, number 2, makes a wrong ID"),
    ):
        with pytest.raises(ValueError, match=problem):
            BPETokenizer.from_vocab(vocab, wrong_merges, ["<|end|>"])
    for wrong in (vocab | {258: "text"}, vocab | {"258": b"the"}, {token: i for i, token in vocab.items()}, [b"a"]):
        with pytest.raises(TypeError, match="vocab must be a dictionary ID -> bytes, but it has "):
            BPETokenizer.from_vocab(wrong, merges)
    with pytest.raises(TypeError, match=r"A special token must be a string, but b'<\|end\|>' is of type bytes"):
        BPETokenizer.from_vocab(vocab, merges, [b"<|end|>"])


@given(st.lists(st.sampled_from(["<|a|>", "<|b|>", "the", " "]), max_size=6).map("".join))
def test_special_tokens_added_to_a_trained_tokenizer_are_found_by_all(text):
    """minbpe registers special tokens after training."""
    trained = BPETokenizer(pattern="gpt4")
    trained.train_exact(CORPUS, 300, progress=False)
    before = trained.encode("the cat")
    tokenizer = copy.copy(trained)
    tokenizer.add_special_tokens({"<|b|>": 400})
    tokenizer.add_special_tokens(["<|a|>"])
    assert (tokenizer.special_to_id, len(tokenizer)) == ({"<|b|>": 400, "<|a|>": 401}, 302)
    ids = tokenizer.encode(text)
    assert tokenizer.encode_fast(text) == tokenizer.to_hf().encode(text).ids == ids
    assert tokenizer.decode(ids) == text and tokenizer.encode("the cat") == before
    assert len(trained) == 300


# --- conversations ----------------------------------------------------------------------------------------------------

CALL = {"type": "function", "function": {"name": "clock", "arguments": {"zone": "Zürich", "hours": [1, 2.5, None]}}}
CONVERSATION = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What time is it in Zürich? 👋"},
    {"role": "assistant", "content": "I look.", "tool_calls": [CALL, CALL]},
    {"role": "tool", "content": '{"time": "12:30"}'},
    {"role": "assistant", "content": "Half past twelve."},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
]
CALLED = f"<|tool_call|>\n{json.dumps(CALL['function'], ensure_ascii=False)}<|end|>"
WRITTEN = (
    "<|system|>\nBe brief.<|end|><|user|>\nWhat time is it in Zürich? 👋<|end|><|assistant|>\nI look.<|end|>"
    f'{CALLED}{CALLED}<|tool_result|>\n{{"time": "12:30"}}<|end|><|assistant|>\nHalf past twelve.<|end|>{CALLED}'
)
TOOLS = [
    {"type": "function", "function": {"name": "clock", "description": 'The time <now> in "Zürich"', "parameters": {}}},
    {"type": "function", "function": {"name": "dice", "parameters": {"type": "object", "properties": {}}}},
]
SHOWN = "<|system|>\nTools:\n{}\n{}<|end|>".format(*(json.dumps(tool, ensure_ascii=False) for tool in TOOLS))


@pytest.mark.parametrize(("tools", "shown", "prompt"), [(None, "", True), ([], "", False), (TOOLS, SHOWN, True)])
def test_the_template_writes_what_encode_chat_encodes(libraries, tools, shown, prompt):
    ours, _, auto, _ = libraries["gpt4"]
    text = auto.apply_chat_template(CONVERSATION, tools=tools, tokenize=False, add_generation_prompt=prompt)
    assert text == shown + WRITTEN + ("<|assistant|>" if prompt else "")
    ids = encode_chat(ours, CONVERSATION, tools=tools, add_generation_prompt=prompt)
    assert ids == auto.encode(text) == ours.encode(text)
    assert ours.decode(ids) == text


def test_a_content_may_be_a_list_of_parts(libraries):
    ours, _, auto, _ = libraries["gpt4"]
    for role in ("system", "user", "assistant", "tool"):
        parts = [{"type": "text", "text": "She "}, {"type": "text", "text": "sells<|end|>"}]
        for content, joined in ((parts, "She sells<|end|>"), ([], "")):
            ids = encode_chat(ours, [{"role": role, "content": content}])
            assert ids == encode_chat(ours, [{"role": role, "content": joined}])
            text = auto.apply_chat_template([{"role": role, "content": content}], tokenize=False)
            assert text == ours.decode(ids)


def test_the_mask_of_the_assistant_covers_what_it_writes_up_to_the_end(libraries):
    _, _, auto, _ = libraries["gpt4"]
    encoded = auto.apply_chat_template(
        CONVERSATION, tools=TOOLS, tokenize=True, return_dict=True, return_assistant_tokens_mask=True
    )
    written = [
        token_id for token_id, mask in zip(encoded["input_ids"], encoded["assistant_masks"], strict=True) if mask
    ]
    assert auto.decode(written) == f"\nI look.<|end|>{CALLED}{CALLED}\nHalf past twelve.<|end|>{CALLED}"


@by_pattern
@given(
    messages=st.lists(
        st.tuples(st.sampled_from(["system", "user", "assistant", "tool"]), MIXED), min_size=1, max_size=4
    )
)
def test_nothing_that_is_typed_becomes_a_special_token(libraries, pattern, messages):
    ours, _, auto, _ = libraries[pattern]
    chat = [{"role": role, "content": content} for role, content in messages]
    ids = encode_chat(ours, chat)
    said = sum(bool(content) or role != "assistant" for role, content in messages)
    assert sum(token_id in ours.special_token_ids for token_id in ids) == 2 * said
    assert ours.decode(ids) == auto.apply_chat_template(chat, tokenize=False)


STRANGER = {"role": "stranger", "content": "Hi"}


@pytest.mark.parametrize(
    "message",
    [
        STRANGER,
        "Hi",
        {"content": "Hi"},
        {"role": "user"},
        {"role": "user", "content": b"Hi"},
        {"role": "user", "content": ["Hi"]},
        {"role": "user", "content": [{"type": "image", "text": "a.png"}]},
        {"role": "user", "content": "\ud83d"},
        {"role": "assistant", "tool_calls": [{"name": "clock"}]},
        {"role": "assistant", "tool_calls": ["clock"]},
    ],
)
def test_a_message_of_another_form_is_refused_with_its_place(libraries, message):
    ours, _, auto, _ = libraries["gpt4"]
    with pytest.raises(ValueError, match="Message 1 is .*, but a message must be a dictionary with|lone surrogate"):
        encode_chat(ours, [{"role": "user", "content": "Hi"}, message])
    with pytest.raises(ValueError, match="has no special token <|assistant|>"):
        encode_chat(BPETokenizer(["<|end|>"]), [message])
    if message is STRANGER:
        with pytest.raises(Exception, match="this one has stranger"):
            auto.apply_chat_template([message], tokenize=False)


def test_the_template_is_saved_only_with_the_tokens_that_it_uses(tmp_path, trained):
    template = tmp_path / "chat_template.jinja"
    save(trained["gpt2"], tmp_path)
    assert template.read_bytes() == chat_template()
    assert {token for token in CHAT_TOKENS if token[2:-2] not in chat_template().decode()} == set()
    template.unlink()
    auto = transformers.AutoTokenizer.from_pretrained(str(tmp_path))
    assert auto.apply_chat_template(CONVERSATION, tokenize=False) == WRITTEN, "older versions read the configuration"
    assert (auto.eos_token, auto.pad_token) == ("<|end|>", "<|pad|>"), "a chat ends at <|end|>"
    assert set(auto.all_special_ids) == trained["gpt2"].special_token_ids
    save(trained["gpt2"], tmp_path)
    save(BPETokenizer(["<|endoftext|>", "<|end|>"]), tmp_path)
    assert not template.exists()
    auto = transformers.AutoTokenizer.from_pretrained(str(tmp_path))
    assert auto.eos_token == "<|endoftext|>", "without the tokens of a chat, generation ends with the document"
    template.write_text("my own", encoding="utf-8")
    save(BPETokenizer(["<|end|>"]), tmp_path)
    assert template.read_text(encoding="utf-8") == "my own"

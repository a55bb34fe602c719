"""What the course saves is right in transformers, tokenizers and tiktoken; what they save is read back, or refused."""

from functools import cache
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
from support.tokenizer_files import TEXT, state, trained

pytestmark = pytest.mark.interop
tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed (pip install -e '.[interop]')")
transformers = pytest.importorskip("transformers", reason="transformers is not installed (pip install -e '.[interop]')")

CONVERTED = [name for name, regex in PATTERNS.items() if regex in EXAMINED]
PARTS = [*COURSE_SPECIAL_TOKENS, *"中ſ", "<|end", "|>", " citizens", "poor", "  ", "\n\n", "we'll", "12345", "👋🏽"]
MIXED = st.lists(st.text(max_size=8) | st.sampled_from(PARTS), max_size=8).map("".join)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Pattern -> (our tokenizer, the same one in tokenizers, transformers and tiktoken)."""
    found = {}
    for pattern in (None, "gpt2", "gpt4"):
        tokenizer = trained(pattern, COURSE_SPECIAL_TOKENS)
        folder = save_artifact(tokenizer, tmp_path_factory.mktemp("saved") / "text", [])
        auto = transformers.AutoTokenizer.from_pretrained(str(folder))
        found[pattern] = tokenizer, tokenizer.to_hf(), auto, tokenizer.to_tiktoken()
    return found


@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"])
@given(text=MIXED)
@pytest.mark.timeout(0)
def test_every_library_gives_our_ids_on_random_texts(libraries, pattern, text):
    ours, rust, auto, tik = libraries[pattern]
    ids = ours.encode(text)
    assert rust.encode(text).ids == auto.encode(text) == tik.encode(text, allowed_special="all") == ids
    assert ours.encode_fast(text) == ids
    ordinary = ours.encode_ordinary(text)
    assert ours.encode_ordinary_fast(text) == tik.encode_ordinary(text) == ordinary
    assert auto.decode(ids) == rust.decode(ids, skip_special_tokens=False) == ours.decode(ids) == text
    assert rust.encode(text).offsets == character_spans([ours.vocab[token_id] for token_id in ids])
    chat = [{"role": "user", "content": text}]
    typed = encode_chat(ours, chat)
    assert ours.decode(typed) == auto.apply_chat_template(chat, tokenize=False)
    assert sum(i in ours.special_token_ids for i in typed) == 2, "nothing that is typed becomes a special token"


@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"])
def test_what_the_libraries_have_and_save_is_read(libraries, pattern, tmp_path):
    ours, rust, auto, _ = libraries[pattern]
    rust.save(str(tmp_path / "rust.json"))
    auto.save_pretrained(str(tmp_path / "auto"))
    auto(["poor", "poor citizens"], padding=True, truncation=True, max_length=4)
    auto.save_pretrained(str(tmp_path / "padded"))
    for same in (BPETokenizer.from_hf(rust), load(tmp_path / "rust.json"), load(tmp_path / "auto")):
        assert state(same) == state(ours)
    with pytest.warns(UserWarning, match="(padding|truncation) is dropped"):
        assert state(load(tmp_path / "padded")) == state(BPETokenizer.from_hf(auto)) == state(ours)


ODD = "aAsfi19 \n\r\t'.ſKé中\u0085\u2028/"
PAIRS = [bytes([byte]) for byte in range(256)] + [bytes(pair) for pair in product(sorted({*ODD.encode()}), repeat=2)]


@cache
def splitting(regex):
    """tiktoken, with any two bytes of these characters as a token: so the IDs show where pieces end."""
    ranks = {token: rank for rank, token in enumerate(PAIRS)}
    return tiktoken.Encoding("own", pat_str=regex, mergeable_ranks=ranks, special_tokens={})


@pytest.mark.parametrize("name", CONVERTED)
@given(text=st.text(st.sampled_from(ODD), max_size=14))
def test_a_pattern_that_is_said_to_be_the_same_in_tiktoken_is(name, text):
    pieces = split_by_pattern(text, PATTERNS[name])
    expected = [splitting(r"[\s\S]+").encode_ordinary(piece) for piece in pieces]
    assert splitting(PATTERNS[name]).encode_ordinary(text) == [token_id for ids in expected for token_id in ids]


HARD = f"{TEXT} She'll 'tis: 12345 naïve 日本語 👋🏽\n  def f(x):\n    return x<|endoftext|>  she\t\n\n sells"


@pytest.mark.parametrize("client", ["fastokens", "basetenkenizer", "gigatoken"])
@pytest.mark.parametrize("name", [*CONVERTED, "published cl100k"])
def test_a_tokenizer_of_the_course_and_a_published_one_are_read(client, name, tmp_path):
    library = pytest.importorskip(client, reason=f"{client} is not installed (pip install -e '.[check]')")
    if name in PATTERNS:
        tokenizer = trained(name, COURSE_SPECIAL_TOKENS)
    else:
        try:
            tokenizer = load_published("cl100k")
        except CorpusError:
            pytest.skip("The table of cl100k is not here: ./datasets.sh cl100k")
    file = str(tokenizer.save(tmp_path / "tokenizer.json"))
    found = (library.Tokenizer(file) if client == "gigatoken" else library.Tokenizer.from_file(file)).encode(HARD)
    assert numpy.asarray(getattr(found, "ids", found)).tolist() == tokenizer.encode_fast(HARD)


CHAT = ("system", "Be brief."), ("user", "Late in Zürich? 👋"), ("assistant", "Half past twelve."), ("assistant", "")
CONVERSATION = [{"role": role, "content": content} for role, content in CHAT]
WRITTEN = "".join(f"<|{role}|>\n{content}<|end|>" for role, content in CHAT)


def test_the_template_writes_what_encode_chat_encodes_and_masks_what_an_assistant_writes(libraries):
    ours, _, auto, _ = libraries["gpt4"]
    for prompt in ("", "<|assistant|>"):
        text = auto.apply_chat_template(CONVERSATION, tokenize=False, add_generation_prompt=bool(prompt))
        ids = encode_chat(ours, CONVERSATION, add_generation_prompt=bool(prompt))
        assert text == ours.decode(ids) == WRITTEN + prompt
        assert ids == auto.encode(text) == ours.encode(text)
    encoded = auto.apply_chat_template(CONVERSATION, return_dict=True, return_assistant_tokens_mask=True)
    ids, mask = encoded["input_ids"], encoded["assistant_masks"]
    assert auto.decode(numpy.array(ids)[numpy.array(mask) == 1]) == "\nHalf past twelve.<|end|>\n<|end|>"
    trained_on = loss_mask(ids, ours.special_to_id["<|assistant|>"], ours.special_to_id["<|end|>"])
    assert trained_on.tolist() == mask[1:], "module 04c trains on the same tokens"


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
    chat, _, auto, _ = libraries["gpt2"]
    assert (auto.eos_token, auto.pad_token) == ("<|end|>", "<|pad|>"), "a chat ends at <|end|>"
    assert set(auto.all_special_ids) == chat.special_token_ids
    save(BPETokenizer(["<|endoftext|>", "<|end|>"]), tmp_path)
    auto = transformers.AutoTokenizer.from_pretrained(str(tmp_path))
    assert auto.eos_token == "<|endoftext|>", "without the tokens of a chat, generation ends with the document"
    assert auto.chat_template is None

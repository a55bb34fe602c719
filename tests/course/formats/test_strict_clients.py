"""Readers that take fewer forms of tokenizer.json than the tokenizers library does read the course's files, too."""

import numpy
import pytest

from g2c.common.errors import CorpusError
from g2c.corpus.published_tokenizers import load_published
from g2c.solutions.bpe import BPETokenizer

TEXT = (
    "She sells sea shells, I'll 'tis: 12345 naïve 日本語 👋🏽\n  def f(x):\n    return x<|endoftext|>  she\t\n\n sells"
)

pytestmark = pytest.mark.interop
by_client = pytest.mark.parametrize("client", ["fastokens", "basetenkenizer", "gigatoken"])


def ids_of(client: str, file) -> list[int]:
    """Encode the text as a client does."""
    library = pytest.importorskip(client, reason=f"{client} is not installed (pip install -e '.[check]')")
    tokenizer = library.Tokenizer(str(file)) if client == "gigatoken" else library.Tokenizer.from_file(str(file))
    found = tokenizer.encode(TEXT)
    return numpy.asarray(getattr(found, "ids", found)).tolist()


@by_client
@pytest.mark.parametrize("pattern", ["gpt2", "gpt4", "o200k", "qwen"])
def test_a_tokenizer_of_the_course_is_read(client, pattern, tmp_path):
    """As in the artifact of module 04, which has the course's special tokens and GPT-2's pattern."""
    tokenizer = BPETokenizer.with_course_special_tokens(pattern=pattern)
    tokenizer.train_exact(TEXT.replace("<|endoftext|>", " ") * 9, 320, progress=False)
    folder = tokenizer.save_artifact(tmp_path / "mine", tokenizer.encode_fast(TEXT))
    assert ids_of(client, folder / "tokenizer.json") == tokenizer.encode(TEXT)


@by_client
@pytest.mark.parametrize("name", ["gpt2", "cl100k"])
def test_a_published_tokenizer_is_read(client, name, tmp_path):
    try:
        published = load_published(name)
    except CorpusError:
        pytest.skip(f"The table of {name} is not here: ./datasets.sh {name}")
    assert ids_of(client, published.save(tmp_path / "published.json")) == published.encode_fast(TEXT)

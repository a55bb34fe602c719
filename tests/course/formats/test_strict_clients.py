"""Readers that take fewer forms of tokenizer.json than the tokenizers library does read the course's files, too."""

import numpy
import pytest

from g2c.common.errors import CorpusError
from g2c.corpus.published_tokenizers import load_published
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.patterns import PATTERNS

TEXT = (
    "She sells sea shells, I'll 'tis: 12345 naïve 日本語 👋🏽\n  def f(x):\n    return x<|endoftext|>  she\t\n\n sells"
)

pytestmark = pytest.mark.interop


@pytest.mark.parametrize("client", ["fastokens", "basetenkenizer", "gigatoken"])
@pytest.mark.parametrize("name", [*PATTERNS, "published gpt2", "published cl100k"])
def test_a_tokenizer_of_the_course_and_a_published_one_are_read(client, name, tmp_path):
    library = pytest.importorskip(client, reason=f"{client} is not installed (pip install -e '.[check]')")
    if name in PATTERNS:
        tokenizer = BPETokenizer.with_course_special_tokens(pattern=name)
        tokenizer.train_exact(TEXT.replace("<|endoftext|>", " ") * 9, 320, progress=False)
    else:
        try:
            tokenizer = load_published(name.split()[1])
        except CorpusError:
            pytest.skip(f"The table of {name} is not here: ./datasets.sh {name.split()[1]}")
    file = str(tokenizer.save(tmp_path / "tokenizer.json"))
    found = (library.Tokenizer(file) if client == "gigatoken" else library.Tokenizer.from_file(file)).encode(TEXT)
    assert numpy.asarray(getattr(found, "ids", found)).tolist() == tokenizer.encode_fast(TEXT)

"""The encoding of a text, merge by merge: it leads to what `encode` returns, and every merge is shown."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from g2c.lab.traces import encoding_steps, trace, trace_animation
from g2c.solutions.bpe import BPETokenizer


@pytest.fixture(scope="module")
def with_boundaries() -> BPETokenizer:
    tokenizer = BPETokenizer(["<|end|>"], pattern="gpt2")
    tokenizer.train("the other day we gathered the weather aaaa aaa aa é é é 👋👋 " * 3, 285, progress=False)
    return tokenizer


@given(text=st.text(alphabet="thewar aé👋\n<|end|>", max_size=30))
def test_encoding_steps_lead_from_bytes_to_what_encode_gives(with_boundaries, text):
    steps = encoding_steps(with_boundaries, text)
    assert steps[-1][1] == with_boundaries.encode(text)
    assert all(token_id < with_boundaries.base_vocab_size for token_id in steps[0][1])
    assert steps[0][0] is None
    learned = [with_boundaries.merges[pair] for pair, _ in steps[1:]]
    assert learned == sorted(learned) and len(set(learned)) == len(learned)
    assert {with_boundaries.decode(ids) for _, ids in steps} == {text}
    assert all(len(after) < len(before) for (_, before), (_, after) in zip(steps, steps[1:]))


def test_trace_shows_every_merge(trained):
    assert trace(trained, "thé the").rows == [
        ["0", "bytes", "│t│h│\\xc3│\\xa9│␣│t│h│e│"],
        ["1", "t + h → th (257)", "│th│\\xc3│\\xa9│␣│th│e│"],
        ["2", "th + e → the (258)", "│th│\\xc3│\\xa9│␣│the│"],
    ]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("text", ["the the", "", "x", "<|end|>", "the $the$ 中 👋 \\ " * 6])
def test_an_animation_has_a_picture_for_each_state(trained, tmp_path, text):
    animation = trace_animation(trained, text)
    animation.save(tmp_path / "trace.gif")
    with Image.open(tmp_path / "trace.gif") as picture:
        assert picture.format == "GIF"
        assert picture.n_frames == len(encoding_steps(trained, text))
    bundle = animation._repr_mimebundle_()
    assert base64.b64decode(bundle["image/gif"]) == (tmp_path / "trace.gif").read_bytes()
    assert bundle["text/plain"].startswith("<Animation of ")


def test_no_animation_of_a_long_text(trained):
    with pytest.raises(ValueError, match="too long for a picture: 1000 characters"):
        trace_animation(trained, "x" * 1000)

"""`g2c generate`: a language model writes, from the token IDs of an artifact."""

import signal
import subprocess
import sys

import pytest

from g2c import commands
from g2c.formats.artifact import save_artifact
from g2c.solutions.bpe import BPETokenizer

SAID = "<|user|>\nHow are you, Zoë?<|end|><|assistant|>\nI am fine.<|end|><|endoftext|>"


@pytest.fixture(autouse=True)
def artifact(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    monkeypatch.setenv("G2C_SOLUTIONS", "all")
    tokenizer = BPETokenizer.with_course_special_tokens()
    save_artifact(tokenizer, "Chats", tokenizer.encode_fast(SAID * 50))


def generated(capsys, *arguments: str) -> str:
    assert commands.main(["generate", "Chats", *arguments]) == 0
    return capsys.readouterr().out


def test_the_text_goes_on_to_the_end_of_the_message_and_characters_are_whole(capsys):
    options = ("--n", "8", "--top-k", "1")
    assert generated(capsys, "<|user|>\nHow", *options) == "<|user|>\nHow are you, Zoë?<|end|>\n"
    assert generated(capsys, "<|assistant|>\n", *options) == "<|assistant|>\nI am fine.<|end|>\n"


def test_a_prompt_that_ends_within_a_token_is_healed(capsys):
    tokenizer = BPETokenizer.with_course_special_tokens()
    ids = tokenizer.train_exact(SAID * 50, 290, progress=False)
    save_artifact(tokenizer, "Chats", ids)
    prompt = "<|user|>\nHow are yo"
    assert tokenizer.encode_fast(prompt) != ids[: len(tokenizer.encode_fast(prompt))]
    assert generated(capsys, prompt, "--n", "8", "--top-p", "0.1") == "<|user|>\nHow are you, Zoë?<|end|>\n"


def test_a_seed_and_a_length_give_the_same_text_again(capsys):
    once, again, other = (generated(capsys, "--length", "40", "--n", "2", "--seed", seed) for seed in "778")
    assert once == again != other
    assert len(generated(capsys, "--length", "0", "H")) == len("H\n")


@pytest.mark.parametrize(
    "wrong", ["--n 0", "--temperature 0", "--temperature nan", "--top-k 0", "--top-p 2", "--length -1", "\ud800"]
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong, capsys):
    assert commands.main(["generate", "Chats", *wrong.split()]) == 1
    assert capsys.readouterr().err.startswith("g2c: ")
    assert commands.main(["generate", "Nothing"]) == 1
    assert "There is no artifact" in capsys.readouterr().err
    assert commands.main(["generate", "shakespeare"]) == 1
    assert capsys.readouterr().err.endswith("Make it with: g2c train shakespeare\n")


def test_it_writes_until_ctrl_c():
    # Nothing in it ends a message.
    save_artifact(BPETokenizer(), "Letters", list(b"abc" * 50))
    command = [sys.executable, "-m", "g2c", "generate", "Letters", "He", "--n", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        begun = process.stdout.read(40)
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=60)
    assert begun.startswith(b"He") and rest.endswith(b"\n") and errors == b"" and process.returncode == 0

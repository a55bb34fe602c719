"""`g2c encode`: the IDs of a corpus in an artifact, and a sentence for whatever is wrong."""

import ctypes
import json
import os
import subprocess
import sys

import pytest

from coach.common.paths import REPOSITORY
from g2c.commands import main
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact, save, save_artifact


@pytest.fixture
def tokenizer(corpus) -> BPETokenizer:
    tokenizer = BPETokenizer(["<|endoftext|>"], pattern="gpt4")
    tokenizer.train_exact(corpus.read_text(), 400)
    return tokenizer


def test_with_a_tokenizer_file(tokenizer, corpus, tmp_path, capsys):
    save(tokenizer, tmp_path / "tokenizer.json")
    command = ["encode", str(tmp_path / "tokenizer.json"), str(corpus), "--output", str(tmp_path / "out"), "--workers"]
    assert main([*command, "0"]) == 1
    assert capsys.readouterr().err.startswith("g2c: workers=0 is too small")
    assert main([*command, "1"]) == 0
    ids = load_artifact(tmp_path / "out").ids.tolist()
    assert ids == tokenizer.encode_fast(corpus.read_text())
    told = f"{corpus.stat().st_size:,} bytes of corpus.txt are {len(ids):,} token IDs."
    assert capsys.readouterr().out.startswith(told)


def test_with_an_artifact_and_options(tokenizer, corpus, tmp_path):
    save_artifact(tokenizer, tmp_path / "trained", [], train={"algorithm": "train_exact"})
    command = ["encode", str(tmp_path / "trained"), "--output", str(tmp_path / "out"), "--workers", "1"]
    assert main([*command, str(corpus), "--ordinary"]) == 0
    artifact = load_artifact(tmp_path / "out")
    assert artifact.ids.tolist() == tokenizer.encode_ordinary_fast(corpus.read_text())
    assert artifact.manifest["train"] == {"algorithm": "train_exact"}
    (tmp_path / "work.jsonl").write_text('{"text": "other", "body": "<|endoftext|>"}')
    assert main([*command, str(tmp_path / "work.jsonl"), "--column", "body", "--special"]) == 0
    artifact = load_artifact(tmp_path / "out")
    assert artifact.ids.tolist() == [256, 256] and artifact.manifest["corpus"]["column"] == "body"


@pytest.fixture
def refused(tmp_path, corpus):
    """A tokenizer, a corpus, an artifact, and folders that may not be read or written."""
    tokenizer = BPETokenizer()
    save(tokenizer, tmp_path / "tokenizer.json")
    save_artifact(tokenizer, tmp_path / "unreadable-artifact", [])
    for name in ("read-only", "unreadable"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text("The end.")
    modes = {"read-only": 0o555, "unreadable": 0, "unreadable-artifact": 0}
    for name, mode in modes.items():
        (tmp_path / name).chmod(mode)
    yield tmp_path
    for name in modes:
        (tmp_path / name).chmod(0o755)


def give_up_privileges():
    """Make permissions count for the programs that this process starts, also where the administrator runs the tests."""
    dropped, override, read_search = 24, 1, 2  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (override, read_search) if os.geteuid() == 0 else ():
        if libc.prctl(dropped, capability, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "prctl")


def permissions_count():
    try:
        return subprocess.run(["true"], preexec_fn=give_up_privileges).returncode == 0
    except (OSError, AttributeError, subprocess.SubprocessError):
        return False


ENCODE = ["encode", "{}/tokenizer.json"]
TO_OUT = ["--output", "{}/out", "--workers", "1"]
PERMISSIONS = "its permissions"


REFUSED = [
    ([*ENCODE, "{}/corpus.txt", "--output", "{}/read-only/a/b/out"], "/read-only/a/b/out", "Choose a place"),
    ([*ENCODE, "{}/corpus.txt", "--output", "{}/" + 300 * "x"], "xx", "Choose a shorter name"),
    ([*ENCODE, "nowhere.txt", *TO_OUT], "nowhere.txt", ""),
    ([*ENCODE, "{}/unreadable/a.txt", *TO_OUT], "/a.txt cannot be read", PERMISSIONS),
    ([*ENCODE, "{}/unreadable", *TO_OUT], "/unreadable cannot be read", PERMISSIONS),
    (["encode", "{}/unreadable-artifact", "{}/corpus.txt", *TO_OUT], "/unreadable-artifact", "its permissions"),
    (["train", "shakespeare"], "/read-only/more", ""),
]
RUN_EACH = """
import contextlib, io, json, sys
from g2c.commands import main
for command in json.loads(sys.argv[1]):
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()) as errors:
        code = main(command)
    print(json.dumps([code, output.getvalue(), errors.getvalue()]))
"""


@pytest.mark.skipif(not permissions_count(), reason="no permissions count for this user")
def test_what_may_not_be_read_or_written_is_one_sentence_with_its_path(refused):
    commands = [[argument.replace("{}", str(refused)) for argument in command] for command, _, _ in REFUSED]
    # Without TinyShakespeare, training would begin with a note; the place is checked before.
    places = {"G2C_ARTIFACTS": str(refused / "read-only" / "more"), "G2C_DATA": str(refused / "data")}
    variables = {**os.environ, "PYTHONPATH": str(REPOSITORY), **places}
    program = [sys.executable, "-c", RUN_EACH, json.dumps(commands)]
    done = subprocess.run(program, env=variables, preexec_fn=give_up_privileges, stdout=subprocess.PIPE, text=True)
    for (_, path, remedy), line in zip(REFUSED, done.stdout.splitlines(), strict=True):
        code, output, errors = json.loads(line)
        assert (code, output) == (1, "")
        assert errors.startswith("g2c: ") and errors.count("\n") == 1, errors
        assert path in errors and remedy in errors, errors
        assert "save again" not in errors

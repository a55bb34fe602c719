"""The server of `g2c lab`: who may ask, what it answers, and what becomes of code that does not work."""

import json
import os
import socket
import time
from collections import Counter

import psutil
import pytest

from g2c.course.exercises import modules
from g2c.engine.exact import train_exact
from g2c.engine.fast import encode_fast
from g2c.formats.artifact import save_artifact
from g2c.formats.tokenizer_json import save
from g2c.lab.process import answer_to
from g2c.lab.tokenizers import tokenizer_named
from g2c.solutions.bpe import BPETokenizer
from support.clones import write_answers
from support.labs import RunningLab, lab_course

EXERCISE_FILE = "g2c/tokenizer/bpe.py"
UNIGRAM_FILE = "g2c/tokenizer/unigram.py"
ENCODE, LOSS, BEST_PATH = (
    f'        raise NotImplementedError("TODO: {name}")\n' for name in ("encode", "segmentation_loss", "best_path")
)
ENDLESS = "        while True:\n            pass\n"


# --- who may ask ------------------------------------------------------------------------------------------------------


def test_the_page_needs_the_token(lab):
    for path in ("/", "/type", "/merge?text=the&step=2", "/?token=wrong", "/saves", "/saves?token=wrong", "/table"):
        status, text = lab.request("GET", path)
        assert status == 403 and "token" in text and lab.token not in text, path
    status, text = lab.request("GET", f"/merge?text=the&step=2&token={lab.token}")
    assert status == 200 and "<title>g2c lab</title>" in text
    assert lab.request("GET", "/merge?text=the", Cookie=lab.cookie)[0] == 200
    for cookies in ({}, {"Cookie": f"g2c-lab-{lab.port}=wrong"}, {"Cookie": f"g2c-lab-1={lab.token}"}):
        assert lab.request("POST", "/api/tokenizers", b"{}", **cookies)[0] == 403


def test_only_its_own_host_and_origin_are_answered(lab):
    for host in ("evil.example", "evil.example:8804", "127.0.0.1", "127.0.0.1.evil.example:8804", ""):
        assert lab.request("GET", f"/?token={lab.token}", Host=host)[0] in (400, 403), host
    for origin in ("http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"):
        assert lab.request("POST", "/api/tokenizers", b"{}", Cookie=lab.cookie, Origin=origin)[0] == 403, origin
    own = f"http://localhost:{lab.port}"
    assert lab.request("POST", "/api/tokenizers", b"{}", Cookie=lab.cookie, Origin=own)[0] == 200


def test_a_body_that_is_too_large_is_refused_and_the_lab_stays_alive(lab):
    try:
        status, _ = lab.request("POST", "/api/encode", b" " * (2**20 + 1), Cookie=lab.cookie)
    except (BrokenPipeError, ConnectionResetError):
        # The server may close the connection as soon as it has read the length.
        status = 413
    assert status in (400, 413)
    assert lab.ask("tokenizers")["tokenizers"]


def test_no_path_names_a_file(lab):
    for path in ("/etc/passwd", "/../pyproject.toml", "/%2e%2e/pyproject.toml", "/page/app.js", "/api/"):
        assert lab.request("GET", f"{path}?token={lab.token}")[0] in (400, 404, 405), path


def test_what_is_not_a_question_is_refused(lab):
    for body in (b"", b"[]", b"{", b"[" * 100_000, b'"\xff"', b"null"):
        assert lab.request("POST", "/api/encode", body, Cookie=lab.cookie)[0] == 400, body[:9]


def test_a_question_of_another_form_gets_a_sentence():
    asked = [("table", {"tokenizer": name}) for name in ("../../pyproject", "/etc", "", None, ["small"])]
    asked += [("encode", {}), ("encode", {"tokenizer": "small", "texts": ["\ud800"]}), ("nothing", {})]
    for question, details in asked:
        assert set(answer_to(question, details)) == {"problem"}, details


def test_the_page_has_a_strict_policy_and_its_own_nonce(lab):
    nonces = set()
    for _ in range(2):
        _, page = lab.request("GET", f"/?token={lab.token}")
        policy, cookie = lab.headers["Content-Security-Policy"], lab.headers["Set-Cookie"]
        nonce = policy.split("'nonce-")[1].split("'")[0]
        assert "default-src 'none'" in policy and f'<script nonce="{nonce}">' in page
        assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
        nonces.add(nonce)
    assert len(nonces) == 2


# --- answers ----------------------------------------------------------------------------------------------------------


def test_the_views_get_what_the_students_code_returns(lab, tmp_path, monkeypatch):
    states = lab.ask("train", text="the the the", steps=3)["states"]
    assert [state["chosen"] for state in states] == [[116, 104, 3], [256, 101, 3], [257, 32, 2], None]
    assert states[0]["counts"][0] == [116, 104, 3] and states[3]["ids"] == [258, 258, 257]
    assert states[2]["stored"] == {"merge": "258", "bytes": "74686520", "token": "b'the '", "merges": 3, "vocab": 259}

    assert lab.ask("lattice", text="hugs") == {"tokens": ["hug", "s"], "loss": 6}
    assert lab.ask("lattice", text="") == {"tokens": [], "loss": 0}

    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    texts = ["the cat<|endoftext|>", "", "a sequence of"]
    wanted = [encode_fast(tokenizer_named("small"), text) for text in texts]
    for name in ("yours", "small"):
        assert lab.ask("encode", tokenizer=name, texts=texts)["ids"] == wanted

    found = lab.ask("predict", tokenizer="small", ids=wanted[2], n=3)
    probabilities = [probability for _, probability in found["next"]]
    assert len(probabilities) == 15 and probabilities == sorted(probabilities, reverse=True) and probabilities[0] > 0.01
    assert abs(found["total"] - 1) < 1e-9


def test_a_browser_keeps_a_table_until_the_artifact_is_saved_again(lab, tmp_path, monkeypatch):
    kept = {}
    for name in ("small", "nothing"):
        lab.request("GET", f"/table?tokenizer={name}", Cookie=lab.cookie)
        kept[name] = "max-age" in lab.headers["Cache-Control"]
    assert kept == {"small": True, "nothing": False}

    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    versions, sizes = set(), set()
    for vocab_size in (257, 258):
        tokenizer = BPETokenizer()
        train_exact(tokenizer, "the the", vocab_size, progress=False)
        save(tokenizer, tmp_path / "mine")
        versions |= {one["version"] for one in answer_to("tokenizers", {})["tokenizers"] if one["name"] == "mine"}
        sizes.add(len(answer_to("table", {"tokenizer": "mine"})["merges"]))
    assert len(versions) == len(sizes) == 2


def test_the_tokens_of_a_corpus_are_counted(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    save_artifact(BPETokenizer(), "Poem", list(b"abca"))
    corpus = answer_to("corpus", {"tokenizer": "Poem"})["corpus"]
    assert corpus["name"] == "its corpus" and corpus["counts"] == [0] * 97 + [2, 1, 1]
    assert answer_to("corpus", {"tokenizer": "small"}) == {"corpus": None}


# --- code that does not work ------------------------------------------------------------------------------------------


def until(ask, wanted: str):
    """The first answer that contains `wanted`; the lab needs a moment to notice a save."""
    for _ in range(1000):
        answer = ask()
        if wanted in json.dumps(answer):
            return answer
        time.sleep(0.1)
    pytest.fail(f"After a hundred seconds the answer is still {answer}")


@pytest.mark.whole
def test_whatever_the_code_does_is_named_and_a_save_is_noticed(course_template, tmp_path):
    clone = lab_course(course_template, tmp_path, answered=False)
    with RunningLab(clone) as lab:

        def encode():
            return lab.ask("encode", tokenizer="yours", texts=["the"])

        def lattice():
            return lab.ask("lattice", text="hugs")

        assert encode()["problem"]["title"].startswith("_get_pair_counts is not written yet")
        assert lattice()["problem"]["title"].startswith("segmentation_loss is not written yet")
        for answer in (encode(), lattice(), lab.ask("train", text="so so", steps=1, pattern="gpt2")):
            assert answer["problem"]["todo"]
        table = lab.ask("table", tokenizer="small")
        write_answers(clone, [exercise for exercise in modules()["04"].exercises if exercise.name != "encode"])
        clone.replace(EXERCISE_FILE, ENCODE, "        return [ord(c) for c in text] + [missing]\n")
        report = until(encode, "NameError")["problem"]["report"]
        assert "Came back:  NameError: name 'missing' is not defined, in encode, g2c/tokenizer/bpe.py, line" in report

        clone.replace(EXERCISE_FILE, " + [missing]\n", "\n")
        assert until(encode, "ids")["ids"] == [[116, 104, 101]]

        clone.replace(EXERCISE_FILE, "        return [ord(c) for c in text]\n", ENDLESS)
        problem = until(encode, "was stopped")["problem"]
        assert problem["title"] == "encode was stopped." and "did not return within" in problem["report"]
        assert lab.ask("train", text="the the", steps=1)["states"][0]["chosen"] == [116, 104, 2]

        clone.replace(EXERCISE_FILE, ENDLESS, f"        import os\n        os.fork()\n{ENDLESS}")
        assert "code cannot start another process" in until(encode, "raised an error")["problem"]["report"]

        # Here it does so without Python's knowledge, and again and again: the whole group ends at the next save.
        fork = "        import ctypes\n        ctypes.CDLL(None).fork()\n        ctypes.CDLL(None).fork()\n"
        clone.replace(EXERCISE_FILE, f"        import os\n        os.fork()\n{ENDLESS}", fork + ENDLESS)
        until(encode, "was stopped")
        started = psutil.Process(lab.process.pid).children(recursive=True)
        groups = Counter(os.getpgid(process.pid) for process in started)
        forked = [process for process in started if groups[os.getpgid(process.pid)] > 1]
        clone.replace(EXERCISE_FILE, fork + ENDLESS, "        import os\n        os._exit(3)\n")
        until(encode, "Your code ended the process")
        assert len(forked) == 4 and not psutil.wait_procs(forked, timeout=60)[1]
        assert [one["name"] for one in lab.ask("tokenizers")["tokenizers"]] == ["yours", "small"]

        clone.replace(EXERCISE_FILE, "        import os\n        os._exit(3)\n", "        return [\n")
        problem = until(encode, "cannot be imported")["problem"]
        assert problem["title"] == "g2c/tokenizer/bpe.py cannot be imported." and "line" in problem["report"]
        assert lab.ask("table", tokenizer="small") == table, "a table needs no student's code"

        clone.replace(UNIGRAM_FILE, LOSS, "        return None\n")
        clone.replace(UNIGRAM_FILE, BEST_PATH, "        return list(text)\n")
        assert until(lattice, "segmentation_loss does not return")["problem"]["report"] == "It returned None"

        clone.replace(UNIGRAM_FILE, "        return None\n", "        return 1.5\n")
        assert until(lattice, "tokens")["tokens"] == ["h", "u", "g", "s"]

        # Where memory is short, the system may end any process.
        for process in psutil.Process(lab.process.pid).children():
            process.kill()
        assert lab.ask("table", tokenizer="small") == table

        # A lab that is killed leaves nothing behind.
        started = psutil.Process(lab.process.pid).children(recursive=True)
        lab.process.kill()
        assert started and not psutil.wait_procs(started, timeout=60)[1]
        with socket.create_server(("127.0.0.1", lab.port)):
            pass

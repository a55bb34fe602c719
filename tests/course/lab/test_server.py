"""The server of `g2c lab`: who may ask, what it answers, and what becomes of code that does not work."""

import http.client
import json
import time

import pytest

from g2c.common.errors import VocabularyNotReached
from g2c.course.exercises import modules
from g2c.solutions.unigram import UnigramTokenizer
from support.clones import write_answers
from support.labs import RunningLab

EXERCISE_FILE = "g2c/tokenizer/bpe.py"
UNIGRAM_FILE = "g2c/tokenizer/unigram.py"
ENCODE = '        raise NotImplementedError("TODO: encode")\n'
ENDLESS = "        while True:\n            pass\n"
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def lab(shared_clone):
    """A lab on the answers of modules 04 and 04g."""
    write_answers(shared_clone, [*modules()["04"].exercises, *modules()["04g"].exercises])
    with RunningLab(shared_clone) as running:
        yield running


def test_the_page_needs_the_token(lab):
    for path in ("/", "/type", "/merge?text=the&step=2", "/?token=wrong", "/events", "/events?token=wrong"):
        status, text = lab.request("GET", path)
        assert status == 403 and "token" in text and lab.token not in text, path
    status, text = lab.request("GET", f"/merge?text=the&step=2&token={lab.token}")
    assert status == 200 and "<title>g2c lab</title>" in text
    status, _ = lab.request("GET", "/merge?text=the", Cookie=f"g2c-lab-{lab.port}={lab.token}")
    assert status == 200


def test_a_question_needs_the_token_in_its_header(lab):
    for headers in ({}, {"X_Lab_Token": "wrong"}, {"Cookie": f"g2c-lab-{lab.port}={lab.token}"}):
        assert lab.request("POST", f"/api/tokenizers?token={lab.token}", b"{}", **headers)[0] == 403


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8804", "127.0.0.1", "127.0.0.1.evil.example:8804", ""])
def test_another_host_is_refused(lab, host):
    status, _ = lab.request("GET", f"/?token={lab.token}", Host=host)
    assert status in (400, 403)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_another_origin_is_refused(lab, origin):
    assert lab.request("POST", "/api/tokenizers", b"{}", X_Lab_Token=lab.token, Origin=origin)[0] == 403


def test_its_own_origin_is_accepted(lab):
    origin = f"http://localhost:{lab.port}"
    assert lab.request("POST", "/api/tokenizers", b"{}", X_Lab_Token=lab.token, Origin=origin)[0] == 200


def test_a_body_that_is_too_large_is_refused_and_the_lab_stays_alive(lab):
    try:
        status, _ = lab.request("POST", "/api/encode", b" " * (2**20 + 1), X_Lab_Token=lab.token)
    except (BrokenPipeError, ConnectionResetError):
        # The server may close the connection as soon as it has read the length.
        status = 413
    assert status in (400, 413)
    assert lab.ask("tokenizers")["tokenizers"]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/../pyproject.toml", "/%2e%2e/pyproject.toml", "/page/app.js", "/api/"]
)
def test_no_path_names_a_file(lab, path):
    assert lab.request("GET", f"{path}?token={lab.token}")[0] in (400, 404, 405)


@pytest.mark.parametrize("name", ["../../pyproject", "/etc", "", "small/../small", None, ["small"]])
def test_no_tokenizer_is_a_path(lab, name):
    assert "problem" in lab.ask("encode", tokenizer=name, texts=["a"])


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000, b'"\xff"', b"null"])
def test_what_is_not_a_question_is_refused(lab, body):
    assert lab.request("POST", "/api/encode", body, X_Lab_Token=lab.token)[0] == 400


@pytest.mark.parametrize(
    "question, details",
    [
        ("encode", {}),
        ("encode", {"tokenizer": "small", "texts": "abc" * 30_000}),
        ("encode", {"tokenizer": "small", "texts": [1]}),
        ("encode", {"tokenizer": "small", "texts": ["\ud800"]}),
        ("encode", {"tokenizer": "small", "texts": ["a" * 50_001]}),
        ("rounds", {"tokenizer": "small", "text": "a" * 301}),
        ("train", {"text": "a" * 1001, "steps": 3}),
        ("train", {"text": "abc", "steps": "many"}),
        ("train", {"text": "abc", "steps": 3, "pattern": "(a+)+$"}),
        ("token", {"tokenizer": "small", "id": []}),
        ("lattice", {}),
        ("lattice", {"text": "a" * 41}),
        ("lattice", {"text": "\ud800"}),
        ("lattice", {"text": "a", "corpus": "a" * 1001}),
        ("lattice", {"text": "a", "corpus": ["a"]}),
    ],
)
def test_a_question_of_another_form_gets_a_sentence(lab, question, details):
    assert set(lab.ask(question, **details)) == {"problem"}


def test_the_page_has_a_strict_policy_and_its_own_nonce(lab):
    connection = http.client.HTTPConnection("127.0.0.1", lab.port)
    nonces = set()
    for _ in range(2):
        connection.request("GET", lab.url.partition(str(lab.port))[2])
        response = connection.getresponse()
        policy = response.headers["Content-Security-Policy"]
        nonce = policy.split("'nonce-")[1].split("'")[0]
        assert "default-src 'none'" in policy and f'<script nonce="{nonce}">' in response.read().decode()
        assert "HttpOnly" in response.headers["Set-Cookie"] and "SameSite=Lax" in response.headers["Set-Cookie"]
        nonces.add(nonce)
    connection.close()
    assert len(nonces) == 2


# --- answers ----------------------------------------------------------------------------------------------------------


def test_tokens_are_data_and_never_html(lab):
    answer = lab.ask("encode", tokenizer="small", texts=[SCRIPT])
    assert b"".join(bytes.fromhex(answer["tokens"][str(i)]["bytes"]) for i in answer["ids"][0]).decode() == SCRIPT
    assert "<script>" not in json.dumps(answer)
    # A text in the address is not part of the page.
    assert "alert(1)" not in lab.request("GET", f"/type?text={SCRIPT}&token={lab.token}")[1]


def test_training_shows_candidates_and_the_chosen_pair(lab):
    states = lab.ask("train", text="the the the", steps=3)["states"]
    assert [state["chosen"] for state in states] == [[116, 104, 3, 256], [256, 101, 3, 257], [257, 32, 2, 258], None]
    assert states[0]["candidates"][0] == [116, 104, 3, 0] and states[3]["ids"] == [258, 258, 257]


def test_rounds_end_with_what_encode_returns(lab):
    answer = lab.ask("rounds", tokenizer="small", text="the other side")
    assert answer["rounds"][0]["ids"] == list(b"the other side")
    assert answer["rounds"][-1]["ids"] == answer["result"] and answer["rounds"][-1]["candidates"] == []


def test_a_token_is_shown_with_its_merges(lab):
    ids = lab.ask("encode", tokenizer="small", texts=[" the"])["ids"][0]
    answer = lab.ask("token", tokenizer="small", id=ids[-1])
    assert answer["merge"] >= 1 and str(ids[-1]) in answer["made"]


def test_a_lattice_has_every_token_that_fits_and_the_best_path(lab):
    answer = lab.ask("lattice", text="hugs")
    edges = [(edge["start"], edge["end"], edge["token"], edge["score"]) for edge in answer["edges"]]
    assert edges == [
        (0, 1, "h", -3),
        (0, 2, "hu", -4),
        (0, 3, "hug", -4),
        (1, 2, "u", -3),
        (1, 3, "ug", -2),
        (2, 3, "g", -3),
        (3, 4, "s", -2),
    ]
    assert [edge["token"] for edge in answer["edges"] if edge["best"]] == answer["tokens"] == ["hug", "s"]
    assert answer["loss"] == 6 and answer["vocabulary"] == 8


def test_the_vocabulary_of_a_lattice_can_be_learned_from_a_text(lab):
    corpus = "the cat and the hat and the bat " * 3
    answer = lab.ask("lattice", text="the rat", corpus=corpus)
    assert answer["text"] == "▁the▁rat"
    assert answer["tokens"][0] == "▁the" and "<unk>" in answer["tokens"], "there is no r in the text"
    tokenizer = UnigramTokenizer()
    with pytest.warns(VocabularyNotReached):
        tokenizer.train(corpus, 1000)
    found = {edge["token"] for edge in answer["edges"] if edge["token"] != "<unk>"}
    assert found <= set(tokenizer.scores), "tokens of several characters come from the text"
    assert lab.ask("lattice", text="", corpus="")["edges"] == []


def test_the_lab_prints_its_address_within_a_second_or_little_more(lab):
    # The goal is a second on an idle machine; a busy one gets some more.
    assert lab.seconds_to_start < 4


@pytest.mark.whole
def test_an_artifact_may_be_named_like_a_published_tokenizer(clone):
    write_answers(clone, modules()["04"].exercises)
    tokenizer = "BPETokenizer(pattern='gpt2')"
    clone.python(f"from g2c.tokenizer import BPETokenizer, save\nsave({tokenizer}, 'artifacts/tokenizers/gpt2')")
    with RunningLab(clone) as lab:
        assert lab.ask("encode", tokenizer="gpt2", texts=["the"])["ids"] == [[116, 104, 101]]


# --- code that does not work ------------------------------------------------------------------------------------------


@pytest.mark.whole
def test_endless_code_is_stopped_and_a_save_is_noticed(clone):
    clone.replace(EXERCISE_FILE, ENCODE, ENDLESS)
    with RunningLab(clone) as lab:
        problem = lab.ask("encode", tokenizer="small", texts=["the"])["problem"]
        assert problem["title"] == "encode was stopped." and "did not return within" in problem["report"]
        clone.replace(EXERCISE_FILE, ENDLESS, "        return [1]\n")
        assert until(lambda: lab.ask("encode", tokenizer="small", texts=["the"]), "ids")["ids"] == [[1]]


@pytest.mark.whole
def test_todo_wrong_and_endless_code_is_named_and_a_save_is_noticed(clone):
    exercises = modules()["04"].exercises
    with RunningLab(clone) as lab:
        problem = lab.ask("encode", tokenizer="small", texts=["the"])["problem"]
        assert problem["title"].startswith("_get_pair_counts is not written yet")

        write_answers(clone, [exercise for exercise in exercises if exercise.name != "encode"])
        clone.replace(EXERCISE_FILE, ENCODE, "        return [ord(c) for c in text] + [missing]\n")
        report = until(lambda: lab.ask("encode", tokenizer="small", texts=["the"])["problem"], "NameError")["report"]
        assert "Came back:  NameError: name 'missing' is not defined, in encode, g2c/tokenizer/bpe.py, line" in report

        clone.replace(EXERCISE_FILE, " + [missing]\n", "\n        \n")
        answer = until(lambda: lab.ask("encode", tokenizer="small", texts=["the"]), "ids")
        assert answer["ids"] == [[116, 104, 101]]

        clone.replace(EXERCISE_FILE, "        return [ord(c) for c in text]\n", ENDLESS)
        problem = until(lambda: lab.ask("encode", tokenizer="small", texts=["the"]), "was stopped")["problem"]
        assert problem["title"] == "encode was stopped." and "did not return within" in problem["report"]
        assert lab.ask("train", text="the the", steps=1)["states"][0]["chosen"] == [116, 104, 2, 256]


@pytest.mark.whole
def test_a_method_of_unigram_that_is_missing_endless_or_wrong_is_named(clone):
    loss, best_path = (
        f'        raise NotImplementedError("TODO: {name}")\n' for name in ("segmentation_loss", "best_path")
    )
    with RunningLab(clone) as lab:
        problem = lab.ask("lattice", text="hugs")["problem"]
        assert problem["title"].startswith("segmentation_loss is not written yet")

        clone.replace(UNIGRAM_FILE, loss, "        return None\n")
        clone.replace(UNIGRAM_FILE, best_path, ENDLESS)
        problem = until(lambda: lab.ask("lattice", text="hugs"), "was stopped")["problem"]
        assert problem["title"] == "best_path was stopped." and "did not return within" in problem["report"]

        clone.replace(UNIGRAM_FILE, ENDLESS, "        return list(text)[missing:]\n")
        report = until(lambda: lab.ask("lattice", text="hugs"), "NameError")["problem"]["report"]
        assert "name 'missing' is not defined, in best_path, g2c/tokenizer/unigram.py, line" in report

        clone.replace(UNIGRAM_FILE, "[missing:]", "")
        report = until(lambda: lab.ask("lattice", text="hugs"), "segmentation_loss returned")["problem"]["report"]
        assert report == "segmentation_loss returned None, not a finite number."

        clone.replace(UNIGRAM_FILE, "        return None\n", "        return 1.5\n")
        assert until(lambda: lab.ask("lattice", text="hug"), "edges")["tokens"] == ["h", "u", "g"]
        problem = lab.ask("lattice", text="hug", corpus="the hugs and the bugs and the rugs " * 3)["problem"]
        assert problem["title"].startswith("expected_counts is not written yet")


@pytest.mark.whole
def test_code_that_ends_its_process_leaves_the_lab_alive(clone):
    clone.replace(EXERCISE_FILE, ENCODE, "        import os\n        os._exit(3)\n")
    with RunningLab(clone) as lab:
        assert lab.ask("encode", tokenizer="small", texts=["the"])["problem"]["title"].startswith("Your code ended")
        assert lab.ask("tokenizers")["tokenizers"][0]["name"] == "small"


@pytest.mark.whole
def test_a_file_that_is_not_python_is_named_with_its_line(clone):
    clone.replace(EXERCISE_FILE, ENCODE, "        return [\n")
    with RunningLab(clone) as lab:
        problem = lab.ask("encode", tokenizer="small", texts=["the"])["problem"]
        assert problem["title"] == "g2c/tokenizer/bpe.py cannot be imported." and "line" in problem["report"]


def until(ask, wanted: str):
    """The first answer that contains `wanted`; the lab needs a moment to notice a save."""
    for _ in range(100):
        answer = ask()
        if wanted in json.dumps(answer):
            return answer
        time.sleep(0.1)
    pytest.fail(f"After ten seconds the answer is still {answer}")

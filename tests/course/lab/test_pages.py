"""The lab's page: one file without a network, whose JavaScript gives the IDs of the course's Python."""

import copy
import random
import re
import unicodedata
from functools import cache
from itertools import accumulate

import pytest

from coach.common.paths import REPOSITORY
from g2c.commands import main
from g2c.corpus.published_tokenizers import load_published
from g2c.engine.exact import train_exact
from g2c.engine.fast import encode_fast, encode_ordinary_fast
from g2c.lab import command
from g2c.lab.pages import page_of
from g2c.solutions.bpe import BPETokenizer
from g2c.solutions.unigram import UnigramTokenizer
from g2c.tokenizer.patterns import PATTERNS
from support.labs import FOLDER, answers_of_the_page, data_of, in_node, shown

HOSTILE = "</script><script>document.title = 'taken'</script>"
CORPUS = (REPOSITORY / "README.md").read_text(encoding="utf-8") + "naïve café Привет мир 你好世界 👋🏽 שלום\n" * 20
SPECIAL_TOKENS = ("<|end|>", "<|end|><|end|>", "a.*b|c", HOSTILE)


@cache
def tokenizer_of(pattern: str | None, more: str = "") -> BPETokenizer:
    tokenizer = BPETokenizer(SPECIAL_TOKENS, pattern=pattern)
    train_exact(tokenizer, CORPUS + more, tokenizer.base_vocab_size + 300, progress=False)
    return tokenizer


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """Where the command finds artifacts and published tokenizers, and where it writes."""
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    monkeypatch.setattr(command, "WRITTEN", tmp_path / "lab")
    monkeypatch.setattr(command, "files_are_here", lambda files: False)
    return tmp_path


def names_in(path) -> list[str]:
    return [one["name"] for one in data_of(path.read_text(encoding="utf-8"))["tokenizers"]]


def test_the_lab_opens_a_page_with_everything_that_is_saved_and_says_what_is_left_out(folders, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(command.webbrowser, "open", opened.append)
    page = folders / "lab" / "index.html"
    assert main(["lab"]) == 0 and opened == [page.as_uri()]
    assert names_in(page) == ["small"] and "To save yours: g2c train" in capsys.readouterr().out

    BPETokenizer().save_artifact("Poem", list(b"abca"))
    tokenizer_of("gpt2").save(folders / "artifacts" / "Mine")
    BPETokenizer(pattern=r"\w+|\W+").save(folders / "artifacts" / "Other")
    for name in ("Broken", ".Poem.1.new"):  # The second is what a killed command leaves.
        (folders / "artifacts" / name).mkdir()
        (folders / "artifacts" / name / "tokenizer.json").write_text("{")
    assert main(["lab"]) == 0
    said = capsys.readouterr().out
    assert names_in(page) == ["Mine", "Poem"] and "Without Broken: " in said and "another pattern" in said
    assert said.count("Without ") == 2
    poem = data_of(page.read_text(encoding="utf-8"))["tokenizers"][1]
    assert poem["corpus"] == {"name": "its corpus", "counts": [0] * 97 + [2, 1, 1]}
    assert "./datasets.sh gpt2 cl100k o200k llama3 qwen3, and" in said


def test_an_exported_page_is_one_file_that_reaches_for_nothing(folders, monkeypatch):
    monkeypatch.setattr(command.webbrowser, "open", lambda address: pytest.fail("it is only written"))
    assert main(["lab", "--export", str(folders / "site")]) == 0
    page = (folders / "site" / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"""(?:src|href)=["'](?!data:)(?!#)|^import |^export |http://""", page, re.MULTILINE)


def test_no_text_of_a_tokenizer_ends_the_script():
    page = page_of(shown(**{HOSTILE: tokenizer_of(None)}))
    assert page.count("</script>") == 2 and HOSTILE not in page
    assert HOSTILE in data_of(page)["tokenizers"][0]["table"]["special"]


# --- its JavaScript, in Node.js ---------------------------------------------------------------------------------------

AWKWARD = [
    "",
    " ",
    "  a",
    "a  ",
    "\r\n\r\n \n x",
    "don't DON'T donſt 'ſ 'S 'lL it''s",
    "12345 1234567 ½²Ⅷ٣٤ 一二",
    "<|end|><|end|><|end|>x<|end|",
    "a.*b|c a-b",
    HOSTILE,
    "\x00\x01\x7f\u0085\u00a0\u1680\u180e\u2003\u2028\u2029\u202f\u205f\u3000\ufeff\u200b\u200d",
    "e\u0301 ◌́ \u0301",
    "👩‍👩‍👧 🇨🇭 👋🏽 \U0001f9ff \U0010ffff \ue000",
    "שלום עולם مرحبا \u202eabc",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
    "\\ \" ' ` ${x} \\u0041 &lt;",
    "\u0378\u05ff\U000e0001 \U0001e900 \u1c80",
    "\ufffd",
]


def texts() -> list[str]:
    random.seed(17)
    points = [*range(0x20, 0x250), *range(0x2000, 0x2100), 0x0A, 0x0D, 0x09, 0x20, 0x20, 0x27, 0x31, 0x73]
    # A browser may know characters that are newer than Python's Unicode.
    anything = [point for point in range(1, 0x110000) if unicodedata.category(chr(point)) not in ("Cn", "Cs")]
    made = list(AWKWARD)
    for _ in range(500):
        start = random.randrange(len(CORPUS))
        made.append(CORPUS[start : start + random.randrange(1, 300)])
        made.append("".join(map(chr, random.choices(points, k=random.randrange(1, 60)))))
        made.append("".join(map(chr, random.choices(anything, k=random.randrange(1, 20)))))
        made.append(random.choice(AWKWARD) + CORPUS[start : start + 20] + random.choice(AWKWARD))
    return made


@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4", "o200k", "qwen"])
def test_the_ids_are_those_of_python(pattern):
    # Merges across the pieces show where the page cuts.
    tokenizer = copy.copy(tokenizer_of(None, "".join(AWKWARD) * 30))
    tokenizer.pattern = pattern and PATTERNS[pattern]
    if pattern == "qwen":
        tokenizer.normalization = "NFC"
        tokenizer.whole_pieces = {" café".encode(): 5000, b"DON'T": 5001, b"\xff": 5002}
    wanted = texts()
    asked = [("encode", ["mine", wanted, ordinary]) for ordinary in (False, True)]
    special, ordinary = answers_of_the_page(shown(mine=tokenizer), asked)
    for text, with_special, without in zip(wanted, special["ids"], ordinary["ids"], strict=True):
        assert with_special == encode_fast(tokenizer, text), f"encode({text!r}) with {pattern}"
        assert without == encode_ordinary_fast(tokenizer, text), f"encode_ordinary({text!r}) with {pattern}"


@pytest.mark.whole
@pytest.mark.parametrize("name", command.PUBLISHED)
def test_published_tokenizers_are_in_the_page_where_their_tables_are(name, tmp_path, monkeypatch):
    if not command.files_are_here(command.TABLES[name]):
        pytest.skip(f"The table of {name} is not here: ./datasets.sh {name}")
    monkeypatch.setattr(command, "WRITTEN", tmp_path)
    page = command.write_lab(tmp_path, shown(mine=tokenizer_of(None)), [name]).read_text(encoding="utf-8")
    tokenizers, wanted, published = data_of(page)["tokenizers"], texts(), load_published(name)
    assert [one["name"] for one in tokenizers] == ["mine", name]
    [encoded] = answers_of_the_page(tokenizers, [("encode", [name, wanted])])
    for text, ids in zip(wanted, encoded["ids"], strict=True):
        assert ids == encode_fast(published, text), f"encode({text!r}) with {name}"
        found = bytes.fromhex("".join(encoded["tokens"][str(token_id)]["bytes"] for token_id in ids))
        assert found == text.encode() or published.normalization


def test_the_page_trains_and_encodes_step_by_step_as_python_does():
    # Its merges cross the pieces.
    tokenizer = copy.copy(tokenizer_of(None))
    tokenizer.pattern = PATTERNS["gpt2"]
    text = "the cat sat on the mat; the dog sat on the log"
    asked = [("train", [text, "gpt4", 16]), ("rounds", ["mine", text]), ("train", ["ab cd", None, 9])]
    trained, rounds, short = answers_of_the_page(shown(mine=tokenizer), asked)
    learned = BPETokenizer(pattern="gpt4")
    learned.train(text, 272, progress=False)
    chosen = [state["chosen"] for state in trained["states"] if state["chosen"]]
    assert {(left, right): new_id for left, right, _, new_id in chosen} == learned.merges
    assert trained["states"][0]["why"] == "The pair occurs 4 times, as often as 2 other pairs, and was seen first."
    assert rounds["states"][-1]["ids"] == tokenizer.encode(text)
    merged = [state["candidates"][0][2] for state in rounds["states"][:-1]]
    assert merged == sorted(merged)
    assert len(short["states"]) == 5 and short["states"][-1]["why"] == "No pair is left, so training ends."


STUDENTS = f"""
import {{ statesOf }} from "{FOLDER.as_uri()}/tokenizer.js";
import {{ readFileSync }} from "node:fs";
process.stdout.write(JSON.stringify(statesOf(JSON.parse(readFileSync(0, "utf8")))));
"""


def test_steps_of_the_students_code_are_shown_as_they_are_right_or_wrong():
    found = [
        {"ids": [97, 98, 97, 98], "counts": [[97, 98, 7]], "chosen": [97, 98, 7], "size": 256},
        {"ids": [256, 97, 98], "counts": [[300, 97, 1], [256, 97, 1]], "chosen": [300, 97, 1], "size": 256},
        {"ids": [], "counts": [], "chosen": None, "size": 258},
    ]
    came = in_node(STUDENTS, found)
    assert [state["chosen"] for state in came["states"]] == [[97, 98, 7, 256], [300, 97, 1, 257], None]
    assert came["states"][1]["candidates"] == [[300, 97, 1, -1], [256, 97, 1, 0]]
    assert "why" not in came["states"][0] and came["tokens"]["256"]["bytes"] == "6162" and "257" not in came["tokens"]


def test_a_lattice_with_the_vocabulary_of_the_handout_is_that_of_python():
    vocabulary = f'import {{ HANDOUT }} from "{FOLDER.as_uri()}/tokenizer.js"; console.log(JSON.stringify(HANDOUT));'
    handout = UnigramTokenizer(dict(in_node(vocabulary, None)))
    random.seed(4)
    wanted = ["", "hugs", "a hug", "<unk>", "👋🏽hug", "\u2581ug"]
    wanted += ["".join(random.choices("hugs x👋", k=random.randrange(1, 40))) for _ in range(300)]
    found = answers_of_the_page([], [("lattice", [text]) for text in wanted])
    for text, came in zip(wanted, found, strict=True):
        tokens = handout.best_path(text)
        ends = list(accumulate(1 if token == handout.unk_token else len(token) for token in tokens))
        best = set(zip([0, *ends], ends))
        edges = [{**edge._asdict(), "best": (edge.start, edge.end) in best} for edge in handout.lattice(text)]
        loss = handout.segmentation_loss(tokens)
        assert came == {"text": text, "edges": edges, "loss": loss}, text

"""The exported page: one file without a network, whose JavaScript gives the IDs of the course's Python."""

import copy
import random
import re
import unicodedata
from functools import cache
from itertools import accumulate

import pytest

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.corpus.published_tokenizers import load_bert
from g2c.course.cli import main
from g2c.engine.exact import train_exact
from g2c.engine.fast import encode_fast, encode_ordinary_fast
from g2c.formats.tokenizer_json import save
from g2c.lab.pages import HANDOUT_SCORES, server_page
from g2c.lab.tokenizers import PUBLISHED, TITLES, export, export_page, is_here, parts_of, table_of
from g2c.solutions.bpe import BPETokenizer
from g2c.solutions.unigram import UnigramTokenizer
from support.browsers import chromium, opened_page
from support.labs import answers_of_the_page, data_of

HOSTILE = "</script><script>document.title = 'taken'</script>"
CORPUS = (REPOSITORY / "README.md").read_text(encoding="utf-8") + "naïve café Привет мир 你好世界 👋🏽 שלום\n" * 20
SPECIAL_TOKENS = ("<|end|>", "<|end|><|end|>", "a.*b|c", HOSTILE)


@cache
def tokenizer_of(pattern: str | None, special_tokens: tuple[str, ...] = SPECIAL_TOKENS) -> BPETokenizer:
    tokenizer = BPETokenizer(special_tokens, pattern=pattern)
    train_exact(tokenizer, CORPUS, tokenizer.base_vocab_size + 600, progress=False)
    return tokenizer


def test_no_text_of_a_tokenizer_ends_the_script():
    page = export_page({HOSTILE: tokenizer_of(None)})
    assert page.count("</script>") == 2 and HOSTILE not in page
    assert HOSTILE in data_of(page)["tables"][HOSTILE]["special"]


def test_another_pattern_is_refused():
    with pytest.raises(CourseError, match="one of the named patterns"):
        export_page({"mine": BPETokenizer(pattern=r"\w+|\W+")})


def test_the_command_writes_one_file_that_reaches_for_nothing(tmp_path, capsys):
    path = save(tokenizer_of("gpt2"), tmp_path / "mine")
    assert main(["lab", "--export", str(tmp_path / "site"), "--tokenizer", str(path)]) == 0
    assert "index.html" in capsys.readouterr().out
    page = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert next(iter(data_of(page)["tables"])) == "mine"
    assert not re.search(r"""(?:src|href)=["'](?!data:)(?!#)""", page)
    assert "http://" not in page
    assert main(["lab", "--export", str(tmp_path / "site"), "--tokenizer", "nothing"]) == 1
    assert "nothing" in capsys.readouterr().err


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
    while len(made) < 2000:
        start = random.randrange(len(CORPUS))
        kind = len(made) % 4
        if kind == 0:
            made.append(CORPUS[start : start + random.randrange(1, 300)])
        elif kind == 1:
            made.append("".join(chr(random.choice(points)) for _ in range(random.randrange(1, 60))))
        elif kind == 2:
            made.append("".join(chr(random.choice(anything)) for _ in range(random.randrange(1, 20))))
        else:
            made.append(random.choice(AWKWARD) + CORPUS[start : start + 20] + random.choice(AWKWARD))
    return made


@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4", "o200k", "qwen"])
def test_the_ids_are_those_of_python(pattern):
    tokenizer = copy.copy(tokenizer_of(pattern))
    if pattern == "qwen":
        tokenizer.normalization = "NFC"
        tokenizer.whole_pieces = {" café".encode(): 5000, b"DON'T": 5001, b"\xff": 5002}
    wanted = texts()
    asked = [("encode", [{"tokenizer": "mine", "texts": wanted, "ordinary": ordinary}]) for ordinary in (False, True)]
    special, ordinary = answers_of_the_page(export_page({"mine": tokenizer}), asked)
    for text, with_special, without in zip(wanted, special["ids"], ordinary["ids"], strict=True):
        assert with_special == encode_fast(tokenizer, text), f"encode({text!r}) with {pattern}"
        assert without == encode_ordinary_fast(tokenizer, text), f"encode_ordinary({text!r}) with {pattern}"


@pytest.mark.parametrize("name", ["gpt2", "cl100k"])
def test_published_tokenizers_are_offered_where_their_tables_are(name, tmp_path):
    if not is_here(name):
        pytest.skip(f"The table of {name} is not here: ./datasets.sh {name}")
    title, published, wanted = TITLES[name], PUBLISHED[name](), texts()
    page = export(str(save(tokenizer_of("gpt2"), tmp_path / "mine")), tmp_path).read_text(encoding="utf-8")
    asked = [("tokenizers", []), ("encode", [{"tokenizer": title, "texts": wanted}])]
    offered, encoded = answers_of_the_page(page, asked)
    assert title in [tokenizer["title"] for tokenizer in offered]
    for text, ids in zip(wanted, encoded["ids"], strict=True):
        assert ids == encode_fast(published, text), f"encode({text!r}) with {name}"


@pytest.mark.parametrize("pattern", [r"\w+|\W", "BERT"])
def test_the_server_splits_what_the_page_cannot(pattern):
    if pattern == "BERT":
        if not is_here("bert"):
            pytest.skip("The table of BERT is not here: ./datasets.sh bert")
        tokenizer = load_bert()
        wanted = [tokenizer.encode(text, add_special_tokens=False).ids for text in texts()]
    else:
        tokenizer = tokenizer_of(pattern)
        wanted = [encode_fast(tokenizer, text) for text in texts()]
    server = {
        "/api/tokenizers": {"tokenizers": [{"name": "other", "version": "1"}]},
        "/table?tokenizer=other&version=1": table_of(tokenizer),
        "/api/parts": {"parts": parts_of(tokenizer, texts(), ordinary=False)},
    }
    asked = [("tokenizers", []), ("encode", [{"tokenizer": "other", "texts": texts()}])]
    _, encoded = answers_of_the_page(server_page("nonce"), asked, server)
    assert encoded["ids"] == wanted
    if pattern != "BERT":
        for text, ids in zip(texts(), wanted, strict=True):
            found = b"".join(bytes.fromhex(encoded["tokens"][str(token_id)]["bytes"]) for token_id in ids)
            assert found == text.encode()


def test_the_page_trains_and_encodes_step_by_step_as_python_does():
    tokenizer = tokenizer_of("gpt2")
    text = "the cat sat on the mat; the dog sat on the log"
    trained, rounds = answers_of_the_page(
        export_page({"mine": tokenizer}),
        [
            ("train", [{"text": text, "steps": 16, "pattern": "gpt4"}]),
            ("rounds", [{"tokenizer": "mine", "text": text}]),
        ],
    )
    learned = BPETokenizer(pattern="gpt4")
    learned.train(text, 272, progress=False)
    chosen = [state["chosen"] for state in trained["states"] if state["chosen"]]
    assert {(left, right): new_id for left, right, _, new_id in chosen} == learned.merges
    assert rounds["rounds"][-1]["ids"] == rounds["result"] == tokenizer.encode(text)


def test_a_lattice_with_the_vocabulary_of_the_handout_is_that_of_python():
    handout = UnigramTokenizer(HANDOUT_SCORES)
    random.seed(4)
    wanted = ["", "hugs", "a hug", "<unk>", "👋🏽hug", "\u2581ug"]
    wanted += ["".join(random.choices("hugs x👋", k=random.randrange(1, 40))) for _ in range(300)]
    asked = [("lattice", [{"text": text}]) for text in wanted]
    for text, came in zip(wanted, answers_of_the_page(export_page({"mine": tokenizer_of(None)}), asked), strict=True):
        tokens = handout.best_path(text)
        ends = list(accumulate(1 if token == handout.unk_token else len(token) for token in tokens))
        best = set(zip([0, *ends], ends))
        edges = [{**edge._asdict(), "best": (edge.start, edge.end) in best} for edge in handout.lattice(text)]
        loss = handout.segmentation_loss(tokens)
        assert came == {"text": text, "edges": edges, "tokens": tokens, "loss": loss}, text


# --- in a browser -----------------------------------------------------------------------------------------------------


@pytest.mark.whole
def test_the_page_asks_for_nothing(tmp_path):
    path = tmp_path / "index.html"
    path.write_text(export_page({"mine": tokenizer_of("gpt2")}), encoding="utf-8")
    with chromium() as browser:
        context, asked = browser.new_context(), []
        context.on("request", lambda request: asked.append(request.url))
        page = opened_page(context, path.as_uri())
        assert page.title() == "Type · g2c lab"
        lattice = opened_page(context, f"{path.as_uri()}#/lattice?text=hugs")
        lattice.wait_for_selector(".lattice")
        assert "hug -4 + s -2 = -6. Its loss is 6." in lattice.locator(".lattice + p").inner_text()
        assert all(url.startswith(("file:", "data:")) for url in asked) and page.errors + lattice.errors == []

"""The exported page: one file without a network, whose JavaScript gives the IDs of the course's Python."""

import json
import random
import re
from pathlib import Path

import pytest

from g2c.common.paths import REPOSITORY
from g2c.engine.exact import train_exact
from g2c.engine.fast import encode_fast, encode_ordinary_fast
from g2c.formats.hf_format import to_hf_dict
from g2c.formats.subword_json import save_unigram
from g2c.formats.tokenizer_json import save
from g2c.lab.export import character_classes, export_page
from g2c.lab.questions import HANDOUT_SCORES
from g2c.solutions.bpe import BPETokenizer
from g2c.solutions.unigram import UnigramTokenizer
from support.browsers import chromium
from support.clones import Clone

HOSTILE = "</script><script>document.title = 'taken'</script>"
CORPUS = (REPOSITORY / "README.md").read_text(encoding="utf-8") + "naïve café Привет мир 你好世界 👋🏽 שלום\n" * 20


def tokenizer_of(
    pattern: str | None, *, special_tokens=("<|end|>", "<|end|><|end|>", "a.*b|c", HOSTILE)
) -> BPETokenizer:
    tokenizer = BPETokenizer(special_tokens, pattern=pattern)
    train_exact(tokenizer, CORPUS, tokenizer.base_vocab_size + 600, progress=False)
    return tokenizer


def test_the_page_is_one_file_that_reaches_for_nothing():
    page = export_page("mine", tokenizer_of("gpt4"))
    assert not re.search(r"""(?:src|href)=["'](?!data:)(?!#)""", page)
    assert "fetch(" not in page and "EventSource" not in page and "http://" not in page


def test_no_text_of_a_tokenizer_ends_the_script():
    page = export_page(HOSTILE, tokenizer_of(None))
    assert page.count("</script>") == 2 and HOSTILE not in page
    data = json.loads(page.partition('id="data">')[2].partition("</script>")[0])
    assert data["name"] == HOSTILE and HOSTILE in data["tokenizer"]["model"]["vocab"]


def test_another_pattern_is_refused():
    with pytest.raises(ValueError, match="gpt2 and gpt4"):
        export_page("mine", BPETokenizer(pattern=r"\w+|\W+"))


def test_classes_are_those_of_the_splitter():
    classes = character_classes()
    assert "\\u{41}-\\u{5a}" in classes["letter"] and "\\u{30}-\\u{39}" in classes["number"]
    assert classes["white"].startswith("\\u{9}-\\u{d}")


def test_the_command_writes_the_page(clone: Clone, tmp_path):
    path = save(tokenizer_of("gpt2"), tmp_path / "mine")
    done = clone.g2c("lab", "--export", str(tmp_path / "site"), "--tokenizer", str(path))
    assert done.returncode == 0 and "index.html" in done.stdout, done.stderr
    assert '"name":"mine"' in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    done = clone.g2c("lab", "--export", str(tmp_path / "site"), "--tokenizer", "nothing")
    assert done.returncode == 1 and "nothing" in done.stderr


# --- in a browser -----------------------------------------------------------------------------------------------------

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
    "\u0378\u05ff\U000e0001 \U0001e900 \u1c80 \ua7cb \U00010d40",
]


def texts() -> list[str]:
    random.seed(17)
    points = [*range(0x20, 0x250), *range(0x2000, 0x2100), 0x0A, 0x0D, 0x09, 0x20, 0x20, 0x27, 0x31, 0x73]
    anything = [*range(1, 0xD800), *range(0xE000, 0x110000)]
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


@pytest.mark.whole
@pytest.mark.parametrize("pattern", ["gpt2", "gpt4", None])
def test_the_ids_are_those_of_python_on_2000_texts(tmp_path, pattern):
    tokenizer = tokenizer_of(pattern)
    path = tmp_path / "index.html"
    path.write_text(export_page("mine", tokenizer), encoding="utf-8")
    wanted = texts()
    with chromium() as browser:
        page = browser.new_page()
        requests = []
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        for ordinary, encoder in ((False, encode_fast), (True, encode_ordinary_fast)):
            ask = "([texts, ordinary]) => source.encode({tokenizer: 'mine', texts, ordinary})"
            ids = page.evaluate(ask, [wanted, ordinary])["ids"]
            for text, came in zip(wanted, ids):
                assert came == encoder(tokenizer, text), f"encode({text!r}) with {pattern}, ordinary={ordinary}"
        assert page.title() == "Type · g2c lab"
        assert all(url.startswith(("file:", "data:")) for url in requests)


@pytest.mark.whole
def test_the_page_trains_and_encodes_step_by_step_as_python_does(tmp_path):
    tokenizer = tokenizer_of("gpt2")
    path = tmp_path / "index.html"
    path.write_text(export_page("mine", tokenizer), encoding="utf-8")
    text = "the cat sat on the mat; the dog sat on the log"
    with chromium() as browser:
        page = browser.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        trained = page.evaluate("(text) => source.train({text, steps: 16, pattern: 'gpt4'})", text)
        learned = BPETokenizer(pattern="gpt4")
        learned.train(text, 272, progress=False)
        chosen = [state["chosen"] for state in trained["states"] if state["chosen"]]
        assert {(left, right): new_id for left, right, _, new_id in chosen} == learned.merges
        rounds = page.evaluate("(text) => source.rounds({tokenizer: 'mine', text})", text)
        assert rounds["rounds"][-1]["ids"] == rounds["result"] == tokenizer.encode(text)


REFUSED = {
    "no model": ({}, "no part named model"),
    "WordPiece": ({"model": {"type": "WordPiece"}}, "WordPiece"),
    "a normalizer": ({"normalizer": {"type": "NFC"}}, "normalizer"),
    "another pattern": (
        {
            "pre_tokenizer": {
                "type": "Sequence",
                "pretokenizers": [
                    {"type": "Split", "pattern": {"Regex": r"\w+|\W"}, "behavior": "Isolated", "invert": False},
                    {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False},
                ],
            }
        },
        "regex",
    ),
    "characters": ({"pre_tokenizer": None}, "characters"),
    "a space in front": ({"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": True}}, "space"),
}


@pytest.mark.whole
def test_a_dropped_tokenizer_is_read_or_refused_with_a_reason(tmp_path):
    path = tmp_path / "index.html"
    path.write_text(export_page("mine", tokenizer_of("gpt2")), encoding="utf-8")
    other = tokenizer_of("gpt4", special_tokens=("<|pad|>",))
    theirs = save(other, tmp_path / "theirs.json")
    with chromium() as browser:
        page = browser.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready]")
        chooser = page.locator(".drop input[type=file]")
        for name, (changes, reason) in REFUSED.items():
            data = {} if not changes else {**to_hf_dict(other), **changes}
            broken = tmp_path / f"{name}.json"
            broken.write_text(json.dumps(data), encoding="utf-8")
            chooser.set_input_files(broken)
            page.wait_for_function(
                "(name) => document.querySelector('.drop [role=status]').textContent.includes(name)", arg=name
            )
            assert reason in page.locator(".drop [role=status]").inner_text(), name
        chooser.set_input_files(theirs)
        page.wait_for_function("() => document.querySelector('.drop [role=status]').textContent.includes('is loaded')")
        assert page.evaluate("(t) => encode(loaded.get('theirs.json'), t)", "the the<|pad|>") == other.encode(
            "the the<|pad|>"
        )


def unigram() -> UnigramTokenizer:
    tokenizer = UnigramTokenizer()
    tokenizer.train(CORPUS[:30_000], 600)
    return tokenizer


def refusals(tokenizer: UnigramTokenizer, path: Path) -> dict[str, tuple[dict, str]]:
    """File name -> a tokenizer.json of type Unigram that the page cannot read, and a word of the reason."""
    content = json.loads(save_unigram(tokenizer, path).read_text(encoding="utf-8"))
    model = content["model"]
    return {
        "normalizer": ({**content, "normalizer": {"type": "NFKC"}}, "normalizer"),
        "other words": ({**content, "pre_tokenizer": {"type": "Whitespace"}}, "Metaspace"),
        "byte fallback": ({**content, "model": {**model, "byte_fallback": True}}, "byte_fallback"),
        "no unknown token": ({**content, "model": {**model, "unk_id": None}}, "unk_id"),
        "twice": ({**content, "model": {**model, "vocab": [*model["vocab"], model["vocab"][3]]}}, "twice"),
        "no scores": ({**content, "model": {**model, "vocab": ["a", "b"]}}, "pairs"),
    }


@pytest.mark.whole
def test_the_lattice_of_a_dropped_unigram_file_is_that_of_python_on_400_texts(tmp_path):
    tokenizer = unigram()
    path = tmp_path / "index.html"
    path.write_text(export_page("mine", tokenizer_of("gpt2")), encoding="utf-8")
    wanted = [text[:60] for text in texts()[:400]]
    with chromium() as browser:
        page = browser.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{path.as_uri()}#/lattice")
        page.wait_for_selector("html[data-ready]")
        chooser, status = page.locator(".drop input[type=file]"), page.locator(".drop [role=status]")
        for name, (content, reason) in refusals(tokenizer, tmp_path / "theirs.json").items():
            (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
            chooser.set_input_files(tmp_path / f"{name}.json")
            page.wait_for_function(
                "(name) => document.querySelector('.drop [role=status]').textContent.includes(name)", arg=name
            )
            assert reason in status.inner_text(), name
        chooser.set_input_files(tmp_path / "theirs.json")
        page.wait_for_function("() => document.querySelector('.drop [role=status]').textContent.includes('is loaded')")
        page.wait_for_selector("select >> text=theirs.json", state="attached")
        assert page.title() == "Lattice · g2c lab" and "vocabulary=theirs.json" in page.url
        assert f"{tokenizer.vocab_size} tokens in the vocabulary" in page.locator(".stats").inner_text()

        ask = "(texts) => Promise.all(texts.map((text) => source.lattice({text, vocabulary: 'theirs.json'})))"
        for text, came in zip(wanted, page.evaluate(ask, wanted)):
            edges, tokens, offset = [], [], 0
            for word in tokenizer._words(text):
                data = tokenizer.lattice_with_best_path(word)
                tokens += data["tokens"]
                for edge in data["edges"]:
                    edges.append({**edge, "start": edge["start"] + offset, "end": edge["end"] + offset})
                offset += len(word)
            assert came["tokens"] == tokens, f"the best path of {text!r}"
            assert came["edges"] == edges, f"the lattice of {text!r}"
            assert came["loss"] == pytest.approx(tokenizer.segmentation_loss(tokens)), f"the loss of {text!r}"
        assert errors == []


@pytest.mark.whole
def test_the_exported_lattice_begins_with_the_vocabulary_of_the_handout(tmp_path):
    path = tmp_path / "index.html"
    path.write_text(export_page("mine", tokenizer_of(None)), encoding="utf-8")
    with chromium() as browser:
        page = browser.new_page()
        page.goto(f"{path.as_uri()}#/lattice?text=hugs")
        page.wait_for_selector(".lattice")
        assert "hug -4 + s -2 = -6. Its loss is 6." in page.locator(".lattice + p").inner_text()
        handout = UnigramTokenizer(HANDOUT_SCORES)
        for text in ("", "hugs", "a hug", "<unk>", "👋🏽hug", "\u2581ug"):
            came = page.evaluate("(text) => source.lattice({text, vocabulary: ''})", text)
            assert came == {**handout.lattice_with_best_path(text), "vocabulary": 8}, text

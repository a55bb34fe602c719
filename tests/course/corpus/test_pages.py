"""Scripts of pages, as they stand there: those of docs/many-machines.md give the IDs of one machine, also if a worker
is killed, and those of docs/corpora.md, with gigatoken, the IDs of the course's engine."""

import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from pydoc_data.topics import topics
from time import sleep

import numpy as np
import pytest

from coach.common.paths import REPOSITORY
from g2c.corpus.documents import documents
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.verify import verify
from g2c.formats.tokenizer_json import save
from g2c.tokenizer import load_artifact
from support.corpus_files import write_documents
from support.tokenizer_files import trained


def block(page: str, part: str) -> str:
    """The code block of the page that contains this."""
    text = (REPOSITORY / "docs" / f"{page}.md").read_text(encoding="utf-8")
    [found] = [block for block in re.findall(r"^```\w+\n(.*?)^```$", text, re.M | re.S) if part in block]
    return found


@pytest.fixture
def shared_folder(tmp_path, monkeypatch) -> Path:
    """The folder of the page's examples, as the current folder, with fewer files."""
    save(trained("gpt4"), tmp_path / "tokenizer.json")
    (tmp_path / "web").mkdir()
    (tmp_path / "parts").mkdir()
    for number in range(4):
        write_documents(tmp_path / "web" / f"part-{number:03}.jsonl", list(topics.values())[number::4] * 2)
    (tmp_path / "encode-one.sh").write_text(block("many-machines", "# encode-one.sh"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    return tmp_path


def assert_is_of_one_machine(joined: str) -> None:
    artifact = load_artifact(joined)
    one = encode_corpus(artifact.tokenizer, "web", "One", progress=False)
    assert artifact.ids.tobytes() == load_artifact(one).ids.tobytes()
    assert not [check for check in verify(artifact.path) if check.passed is False]


@pytest.mark.whole
@pytest.mark.skipif(shutil.which("xargs") is None, reason="needs the program xargs")
def test_xargs_encodes_the_files_that_are_left(shared_folder):
    encode_corpus(trained("gpt4"), "web/part-002.jsonl", "parts/part-002", progress=False)
    before = Path("parts/part-002").stat().st_mtime_ns
    subprocess.run(["sh", "-e", "-c", block("many-machines", "printf").replace("-P 8", "-P 2")], check=True)
    assert Path("parts/part-002").stat().st_mtime_ns == before, "a job that was done ran again"
    assert_is_of_one_machine("Web")


@pytest.mark.whole
@pytest.mark.filterwarnings("ignore")
def test_dask_does_the_parts_of_a_killed_worker_again(shared_folder):
    distributed = pytest.importorskip("distributed", reason="needs Dask: python -m coach.setup machines")
    Path("encode-all.py").write_text(block("many-machines", "# encode-all.py"), encoding="utf-8")
    script = runpy.run_path("encode-all.py")
    files = sorted(map(str, Path("web").glob("*.jsonl")))
    settings = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as client:
        victim, _ = client.run(os.getpid).values()
        parts = client.map(script["encode"], files, retries=3, pure=False)
        while len(list(Path("parts").glob(".*.new/ids.uint32"))) < 2:
            assert not all(part.done() for part in parts), "no part was seen unfinished"
            sleep(0.002)
        os.kill(victim, signal.SIGKILL)
        script["join_artifacts"](client.gather(parts), "Web")
        assert victim not in client.run(os.getpid).values()
    assert_is_of_one_machine("Web")


@pytest.mark.parametrize("pattern", ["gpt4", "o200k"])
def test_the_lines_of_the_page_give_the_same_ids(tmp_path, monkeypatch, pattern):
    pytest.importorskip("gigatoken", reason="gigatoken is in the group check")
    lines = block("corpora", "import gigatoken")
    monkeypatch.chdir(tmp_path)
    corpus = write_documents(tmp_path / "web.jsonl", [*topics.values(), "नमस्ते, 中文字符 👋🏽", " \n\t x"])
    artifact = load_artifact(encode_corpus(trained(pattern), corpus, "artifacts/tokenizers/Web", progress=False))
    names = {"documents": documents}
    exec(lines, names)
    assert np.concatenate([[*ids, 256] for ids in names["ids"]]).tolist() == artifact.ids.tolist()

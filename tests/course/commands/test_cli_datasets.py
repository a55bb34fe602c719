"""datasets.sh: it fetches what is named, says why it cannot, and lists what there is."""

import os
import re
import shutil
import subprocess
import sys

import pytest

from coach.common.paths import REPOSITORY
from g2c.corpus.corpora import CORPORA, TABLES
from support.misbehaving_server import Server

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="The program curl is not installed.")


@pytest.fixture
def datasets(tmp_path):
    """Run datasets.sh with a data folder of its own."""
    (tmp_path / "data").mkdir()

    def datasets(*arguments, mirror="", path=os.environ["PATH"]):
        environment = {"G2C_DATA": str(tmp_path / "data"), "G2C_DATASETS_MIRROR": mirror, "PATH": path}
        # Nothing outside is asked: a proxy that nobody is at.
        environment |= {"https_proxy": "http://127.0.0.1:9", "no_proxy": "127.0.0.1"}
        command = ["bash", REPOSITORY / "datasets.sh", *arguments]
        return subprocess.run(command, env={**os.environ, **environment}, cwd=tmp_path, capture_output=True, text=True)

    return datasets


def test_it_refuses_a_wrong_file_lists_what_there_is_and_explains_wrong_arguments(tmp_path, datasets):
    with Server(b"wrong") as server:
        wrong = datasets("--tiny", mirror=server.url)
    assert wrong.returncode == 1
    assert f"from {server.url}" in wrong.stderr and "the file has the wrong size" in wrong.stderr
    assert "Without it, the course uses the corpus pydocs" in wrong.stderr
    listed = datasets("--list").stdout
    for name, entry in {**CORPORA, **TABLES}.items():
        assert re.search(rf"^  {re.escape(name)} .*{re.escape(entry.description)}$", listed, re.MULTILINE)
    assert "name what to fetch: --tiny, --small, --full, --published, or names" in datasets().stderr
    unknown = datasets("tinystories", "shakespeer")
    assert unknown.returncode == 1
    assert "There is no corpus named 'shakespeer'; the names are tinyshakespeare, pydocs" in unknown.stderr
    assert not any((tmp_path / "data").glob("[!.]*"))


def test_it_says_that_curl_is_missing(tmp_path, datasets):
    (tmp_path / "bin").mkdir()
    for name, program in (("python3", sys.executable), ("bash", "bash"), ("dirname", "dirname")):
        (tmp_path / "bin" / name).symlink_to(shutil.which(program))
    done = datasets("--tiny", path=str(tmp_path / "bin"))
    assert done.returncode == 1 and "The program curl is not installed" in done.stderr

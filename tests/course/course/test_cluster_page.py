"""docs/cluster.md: its scripts run, its manifest fits together, and its tables are made by the benchmark."""

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from g2c.common.paths import REPOSITORY
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact, save_artifact

pytest.importorskip("distributed", reason="needs Dask distributed: pip install -e '.[cluster]'")

PAGE = (REPOSITORY / "docs" / "cluster.md").read_text(encoding="utf-8")
END = "<|endoftext|>"
TEXT = "The cat sat on the mat.\n" * 500

ACTIVATE = f"export PATH='{Path(sys.executable).parent}':\"$PATH\"\n"
# Replacements for srun and ssh that run the command on this machine.
FAKE_COMMANDS = {
    "srun": 'while [ "$1" != dask ]; do shift; done\nexec "$@"\n',
    "ssh": 'shift\nexec bash -c "$*"\n',
}


def block(section: str, language: str) -> str:
    """The first block of a section in a language."""
    return PAGE.split(f"\n## {section}\n")[1].split(f"```{language}\n")[1].split("```")[0]


@pytest.fixture
def shared(tmp_path) -> Path:
    """The folder that all machines share: an environment, a tokenizer and a corpus of two files."""
    folder = tmp_path / "shared"
    for name in ("corpus", "g2c/.venv/bin", "bin", "artifacts"):
        (folder / name).mkdir(parents=True)
    for name in ("a", "b"):
        (folder / "corpus" / f"{name}.txt").write_text(name + TEXT)
    (folder / "g2c/.venv/bin/activate").write_text(ACTIVATE)
    for name, content in FAKE_COMMANDS.items():
        (folder / "bin" / name).write_text(f"#!/bin/bash\n{content}")
        (folder / "bin" / name).chmod(0o755)
    tokenizer = BPETokenizer([END], pattern="gpt4")
    tokenizer.train_exact(TEXT, 270)
    save_artifact(tokenizer, folder / "artifacts" / "G2CTokenizer", [])
    return folder


@pytest.mark.whole
@pytest.mark.parametrize("section", ["On Slurm", "Over ssh"])
def test_the_script_encodes_the_corpus(section, shared):
    script = block(section, "text").replace("/shared/", f"{shared}/")
    script = re.sub(r"--nworkers -?\d+", "--nworkers 1", script).replace("node1 node2 node3", "node1")
    variables = {
        **os.environ,
        "PATH": f"{shared / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "G2C_ARTIFACTS": str(shared / "artifacts"),
        "SLURM_JOB_ID": "1",
        "SLURM_CPUS_PER_TASK": "1",
    }
    log = shared / "log"
    with log.open("w") as output:
        process = subprocess.Popen(
            ["bash", "-c", script], env=variables, cwd=shared, stdout=output, stderr=output, start_new_session=True
        )
        try:
            code = process.wait(timeout=240)
        finally:
            # As Slurm does at the end of a job.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert code == 0, f"the script ended with exit code {code}:\n{log.read_text()}"
    artifact = load_artifact(shared / "artifacts" / "Web")
    assert artifact.manifest["corpus"]["bytes"] == 2 * len(f"a{TEXT}{END}"), log.read_text()


def manifest() -> list[dict]:
    return list(yaml.safe_load_all(block("On Kubernetes", "yaml")))


def container(resource: dict) -> dict:
    (only,) = resource["spec"]["template"]["spec"]["containers"]
    return only


def test_the_parts_of_the_manifest_fit_together():
    resources = {(each["kind"], each["metadata"]["name"]): each for each in manifest()}
    service = resources["Service", "scheduler"]
    (port,) = service["spec"]["ports"]
    scheduler = resources["Deployment", "scheduler"]
    assert scheduler["spec"]["template"]["metadata"]["labels"] == service["spec"]["selector"]
    assert str(port["port"]) in container(scheduler)["args"]
    users = [resources["Deployment", "worker"], resources["Job", "encode"]]
    for resource in users:
        assert f"tcp://scheduler:{port['port']}" in container(resource)["args"]
        (volume,) = resource["spec"]["template"]["spec"]["volumes"]
        assert ("PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]) in resources
        (mount,) = container(resource)["volumeMounts"]
        assert (mount["name"], mount["mountPath"]) == (volume["name"], "/shared")
    assert len({container(each)["image"] for each in [scheduler, *users]}) == 1
    for each in (scheduler, resources["Deployment", "worker"]):
        assert each["spec"]["selector"]["matchLabels"] == each["spec"]["template"]["metadata"]["labels"]
    assert all(isinstance(word, str) for each in [scheduler, *users] for word in container(each)["args"])


@pytest.mark.whole
@pytest.mark.parametrize("kind, name", [("Deployment", "scheduler"), ("Deployment", "worker"), ("Job", "encode")])
def test_the_commands_of_the_manifest_exist(kind, name):
    (resource,) = [each for each in manifest() if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    words = container(resource)["args"]
    module = {"dask": "dask", "g2c": "g2c"}[words[0]]
    shown = subprocess.run(
        [sys.executable, "-m", module, words[1], "--help"], capture_output=True, text=True, check=True
    ).stdout
    assert [word for word in words if word.startswith("--") and word not in shown] == []


def test_the_tables_are_those_of_the_benchmark():
    sys.path.insert(0, str(REPOSITORY / "benchmarks"))
    try:
        import cluster_prediction as prediction
    finally:
        sys.path.remove(str(REPOSITORY / "benchmarks"))
    shown = PAGE.split(prediction.HEADING)[1]
    rates = prediction.Rates(worker=20e6, caller=300e6, worker_memory=200_000_000)
    heading, line, *rows = prediction.table(rates, lambda size: 1e9)
    assert shown.count(f"{heading}\n{line}\n") == 2
    assert [row.split(" | ")[0] for row in rows] == ["| 10 GB", "| 1 TB", "| 15 TB"]
    assert rows[1] == "| 1 TB | 6.9 h | 56 min * | 56 min * | 200 MB | 1.0 GB |"
    for row in rows:
        assert shown.count("\n" + row.split(" | ")[0] + " | ") == 2

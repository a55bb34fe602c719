"""Files of documents that writers append to, cut, change and replace, before and while they are read: what comes are
the documents of the source, or a refusal in a sentence, in little time and memory.

The files are made with the structure of their format, and read in a process that has 500 MB of memory and 2 s of a
processor for each step. Hypothesis chooses the steps; `pytest --hypothesis-seed=N` repeats a run.
"""

import gzip
import hashlib
import io
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from support.state_machines import run_random_steps

REPOSITORY = Path(__file__).resolve().parents[3]
MEMORY = 500 << 20
SECONDS = 2

READER = """
import hashlib, json, signal, sys
import pyarrow, pyarrow.parquet
from g2c.common.errors import CorpusError
from g2c.corpus.documents import documents
print("ready", flush=True)
reading = iter(())
for line in sys.stdin:
    path, most = json.loads(line)
    signal.setitimer(signal.ITIMER_PROF, float(sys.argv[1]))
    found, end = [], "more"
    try:
        if path is not None:
            reading = documents(path)
        while len(found) < most and end == "more":
            document = next(reading, None)
            if document is None:
                end = "read"
            else:
                found.append(hashlib.sha256(document.encode()).hexdigest())
    except CorpusError as error:
        end = f"refused {error}"
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(json.dumps([end, found]), flush=True)
"""


class Reader:
    """A process that reads one file after another, and is killed by its limits."""

    def __init__(self) -> None:
        def limit() -> None:
            # Data is limited, not addresses, of which the libraries alone take 450 MB.
            resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

        self._process = subprocess.Popen(
            [sys.executable, "-c", READER, str(SECONDS)],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,
        )
        assert self._process.stdout.readline() == "ready\n", self._process.communicate()

    def read(self, path: Path | None, most: int = 1 << 30) -> tuple[str, list[str]]:
        """Read up to `most` documents of a file from its beginning, or of the file read last from where it is.

        Returns:
            how it ended: "more", "read" at the end, or "refused" with the sentence; and the documents' checksums.
        """
        try:
            self._process.stdin.write(json.dumps([path and str(path), most]) + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline().rstrip()
        except BrokenPipeError:
            answer = ""
        if not answer:
            _, errors = self._process.communicate()
            code = self._process.returncode
            what = f"took more than {SECONDS} s" if code == -signal.SIGPROF else f"ended with {code}\n{errors}"
            raise AssertionError(f"reading {path or 'on'} {what}")
        return tuple(json.loads(answer))

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@pytest.fixture(scope="module")
def reader():
    # A process that was killed by one file is replaced for the next.
    readers = []

    def read(path: Path | None, most: int = 1 << 30) -> tuple[str, list[str]]:
        if not readers:
            readers.append(Reader())
        try:
            return readers[0].read(path, most)
        except AssertionError:
            readers.pop().close()
            raise

    yield read
    for process in readers:
        process.close()


# --- files, and changes of them ---------------------------------------------------------------------------------------

# Few characters, but of each kind: those that JSON escapes, of one to four bytes, half of a surrogate pair.
characters = st.sampled_from('ab, \n\r\0"\\[{é你👋\ud83d<|endoftext|>')
names = st.text(characters, max_size=4)
texts = st.lists(st.text(characters, max_size=30), min_size=1, max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | names,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)
new_bytes = st.binary(max_size=12) | st.sampled_from(
    [b"[" * 5000, b"\xff\xff\xff\xff\x0f", b"\n" * 70, b"<|endoftext|>"]
)


class Content(NamedTuple):
    """The content of a file, and the documents in it, as checksums; None if they are unknown."""

    data: bytes
    documents: list[str] | None

    def __repr__(self) -> str:
        """Without the data, which may be too long to be printed. The file itself stays where the error names it."""
        return f"<{len(self.data):,} bytes>"


def checksums(documents: list[str]) -> list[str]:
    return [hashlib.sha256(document.encode()).hexdigest() for document in documents if document]


@st.composite
def jsonl(draw):
    documents = draw(texts)
    others = draw(st.lists(values, max_size=1))
    lines = [json.dumps({"text": text}, ensure_ascii=draw(st.booleans())) for text in documents]
    lines += map(json.dumps, others)
    is_valid = not others and any(documents) and "\ud83d" not in "".join(documents)
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    return Content(data, checksums(documents) if is_valid else None)


@st.composite
def gz(draw):
    content = draw(jsonl()) if draw(st.booleans()) else Content(b"a " * draw(st.integers(0, 8 << 20)), None)
    members = draw(st.integers(1, 3))
    data = gzip.compress(content.data, 1, mtime=0) * members
    return Content(data, content.documents and content.documents * members)


@st.composite
def txt_gz(draw):
    return Content(draw(gz()).data, None)


@st.composite
def parquet(draw):
    pyarrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow: pip install -e '.[corpora]'")
    from pyarrow import parquet

    whole = [text.replace("\ud83d", "?") for text in draw(texts)]
    text = [*whole, "long " * draw(st.sampled_from([0, 10, 200_000]))] * draw(st.sampled_from([1, 50]))
    use_dictionary = draw(st.booleans())
    encoding = draw(st.sampled_from(["PLAIN", "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]))
    file = io.BytesIO()
    parquet.write_table(
        pyarrow.table({"text": text}),
        file,
        compression=draw(st.sampled_from(["none", "snappy", "zstd", "gzip"])),
        use_dictionary=use_dictionary,
        column_encoding=None if use_dictionary else {"text": encoding},
        data_page_version=draw(st.sampled_from(["1.0", "2.0"])),
        data_page_size=draw(st.sampled_from([20, 1 << 20])),
        row_group_size=draw(st.sampled_from([7, 10_000])),
        store_schema=draw(st.booleans()),
    )
    # A dictionary that repeats one long text is refused, as other tests show.
    is_valid = any(text) and len(text[-1]) < 1000
    return Content(file.getvalue(), checksums(text) if is_valid else None)


FORMATS = {"x.jsonl": jsonl(), "x.jsonl.gz": gz(), "x.txt.gz": txt_gz(), "x.parquet": parquet()}


def machine(name: str, path: Path, reader, steps: list[int]) -> type[RuleBasedStateMachine]:
    class Writers(RuleBasedStateMachine):
        """Attributes:
        content: the documents of the file as it is; None if they are unknown.
        expected: those of the file that is being read; None if they are unknown, or have changed since.
        found: those read so far; None if no file is being read.
        """

        content: list[str] | None
        expected: list[str] | None
        found: list[str] | None = None

        def write(self, data: bytes, documents: list[str] | None, mode: str = "r+b", place: int = 0) -> None:
            steps[0] += 1
            with path.open(mode) as file:
                if mode == "r+b":
                    file.seek(place)
                file.write(data)
            self.content, self.expected = documents, None

        @initialize(content=FORMATS[name])
        def is_written(self, content):
            path.unlink(missing_ok=True)
            self.write(content.data, content.documents, "wb")

        @rule(content=FORMATS[name])
        def is_replaced(self, content):
            steps[0] += 1
            new = path.with_suffix(".new")
            new.write_bytes(content.data)
            new.replace(path)
            self.content, self.expected = content.documents, None

        @rule(content=FORMATS[name])
        def is_written_again_in_place(self, content):
            self.write(content.data, content.documents, "wb")

        @rule(new=new_bytes)
        def gets_more(self, new):
            self.write(new, None, "ab")

        @rule(share=st.floats(0, 1), new=new_bytes, from_end=st.booleans())
        def changes(self, share, new, from_end):
            # Half of the changes are made in the last bytes, where formats have their directories.
            size = path.stat().st_size
            self.write(new, None, place=max(0, size - 1 - int(share * 200)) if from_end else int(share * size))

        @rule(share=st.floats(0, 1))
        def is_cut(self, share):
            os.truncate(path, int(share * path.stat().st_size))
            self.write(b"", None)

        @rule(most=st.integers(0, 8), again=st.sampled_from([False, False, True]))
        def is_read(self, most, again):
            begins = again or self.found is None
            if begins:
                self.found, self.expected = [], self.content
            end, found = reader(path if begins else None, most)
            self.found += found
            if self.expected is not None:
                right = self.expected if end == "read" else self.expected[: len(self.found)]
                assert end in ("read", "more") and self.found == right, f"{path} was not changed, but: {end}"
            assert not end.startswith("refused") or (str(path) in end and "\n" not in end), f"not a sentence: {end}"
            if end != "more":
                self.found = None

        def teardown(self) -> None:
            self.is_read(1 << 30, True)

    return Writers


def fuzz(name: str, folder: Path, reader, examples: int, steps: int) -> int:
    """Returns how often a file was changed."""
    changes = [0]
    run_random_steps(machine(name, folder / name, reader, changes), examples, steps)
    return changes[0]


@pytest.mark.parametrize("name", FORMATS)
def test_a_changed_file_is_read_or_refused(name, folder, reader, record_property):
    record_property("times", fuzz(name, folder, reader, 4, 6))


def test_parquet_metadata_with_any_byte_changed_is_read_or_refused(folder, reader, record_property):
    """pyarrow ends the process when it is asked for some metadata, such as that of strings that became numbers."""
    pyarrow = pytest.importorskip("pyarrow", reason="parquet needs pyarrow: pip install -e '.[corpora]'")
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pyarrow.table({"text": ["one", "two"]}), file, store_schema=False)
    data = file.getvalue()
    path = folder / "metadata.parquet"
    places = range(len(data) - 8 - int.from_bytes(data[-8:-4], "little"), len(data))
    record_property("times", len(places))
    for place in places:
        path.write_bytes(data[:place] + bytes([data[place] ^ 8]) + data[place + 1 :])
        answer, _ = reader(path)
        assert "\n" not in answer, f"byte {place}: not one sentence: {answer}"
        assert answer == "read" or str(path) in answer, f"byte {place}: the message does not name the file: {answer}"


@pytest.mark.whole
@pytest.mark.parametrize("name", FORMATS)
def test_thousands_of_changed_files_are_read_or_refused(name, folder, reader, record_property):
    record_property("times", fuzz(name, folder, reader, 120, 10))

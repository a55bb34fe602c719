"""Files of documents with any part changed: each is read or refused in a sentence, in little time and memory.

The files are made with the structure of their format, then damaged, and read in a process that has 500 MB of memory and
2 s of a processor for each file. Hypothesis makes the changes; `pytest --hypothesis-seed=N` repeats a run.
"""

import gzip
import io
import json
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

REPOSITORY = Path(__file__).resolve().parents[3]
MEMORY = 500 << 20
SECONDS = 2

READER = """
import signal, sys
import pyarrow, pyarrow.parquet
from g2c.common.errors import CorpusError
from g2c.corpus.documents import documents
print("ready", flush=True)
for line in sys.stdin:
    signal.setitimer(signal.ITIMER_PROF, float(sys.argv[1]))
    try:
        for document in documents(line.rstrip()):
            document.encode()
        answer = "read"
    except CorpusError as error:
        answer = f"refused {error}".replace(chr(10), " ")
    signal.setitimer(signal.ITIMER_PROF, 0)
    print(answer, flush=True)
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

    def read(self, path: Path) -> str:
        """How it ended: "read", or "refused" with the sentence."""
        try:
            self._process.stdin.write(f"{path}\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline().rstrip()
        except BrokenPipeError:
            answer = ""
        if not answer:
            _, errors = self._process.communicate()
            code = self._process.returncode
            what = f"took more than {SECONDS} s" if code == -signal.SIGPROF else f"ended with {code}\n{errors}"
            raise AssertionError(f"reading {path} {what}")
        return answer

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

    def read(path: Path) -> str:
        if not readers:
            readers.append(Reader())
        try:
            return readers[0].read(path)
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
changes = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.integers(0, 40),
        st.binary(max_size=12) | st.sampled_from([b"[" * 5000, b"\xff\xff\xff\xff\x0f", b"\n" * 70, b"<|endoftext|>"]),
    ),
    max_size=4,
)


class Content(bytes):
    """The content of a file, which may be too long to be printed. The file itself stays where the error names it."""

    def __repr__(self) -> str:
        return f"<{len(self):,} bytes>"


def changed(data: bytes, made: list[tuple[float, int, bytes]], from_end: bool = False) -> Content:
    """The data with some bytes replaced: (where as a share, how many bytes, by which)."""
    for share, count, new in made:
        # Half of the changes are made in the last bytes, where formats have their directories.
        begin = max(0, len(data) - 1 - int(share * 200)) if from_end else int(share * len(data))
        data = data[:begin] + new + data[begin + count :]
    return Content(data)


@st.composite
def jsonl(draw):
    lines = [json.dumps({"text": text}, ensure_ascii=draw(st.booleans())) for text in draw(texts)]
    lines += [json.dumps(value) for value in draw(st.lists(values, max_size=2))]
    return changed("\n".join(lines).encode("utf-8", "surrogatepass"), draw(changes))


@st.composite
def gz(draw):
    content = draw(jsonl()) if draw(st.booleans()) else b"a " * draw(st.integers(0, 8 << 20))
    # One member or several, the last of which may be cut short.
    data = gzip.compress(content, 1, mtime=0) * draw(st.integers(1, 3))
    return changed(data, draw(changes), draw(st.booleans()))


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
    return changed(file.getvalue(), draw(changes), draw(st.booleans()))


FORMATS = {"x.jsonl": jsonl(), "x.jsonl.gz": gz(), "x.txt.gz": gz(), "x.parquet": parquet()}


def fuzz(name: str, folder: Path, reader, examples: int) -> None:
    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(FORMATS[name])
    def read(data: bytes) -> None:
        path = folder / name
        path.write_bytes(data)
        answer = reader(path)
        assert answer == "read" or str(path) in answer, f"the message does not name the file: {answer}"

    read()


@pytest.mark.parametrize("name", FORMATS)
def test_a_changed_file_is_read_or_refused(name, folder, reader, record_property):
    fuzz(name, folder, reader, 12)
    record_property("times", 12)


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
        answer = reader(path)
        assert answer == "read" or str(path) in answer, f"byte {place}: the message does not name the file: {answer}"


@pytest.mark.whole
@pytest.mark.parametrize("name", FORMATS)
def test_thousands_of_changed_files_are_read_or_refused(name, folder, reader, record_property):
    fuzz(name, folder, reader, 500)
    record_property("times", 500)

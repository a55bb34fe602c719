"""Search for a file on which a loader does anything else than load what is right, or refuse it: for hours, if you like.

    pip install atheris
    python tests/fuzz/fuzz_loaders.py tokenizer -max_total_time=600

Instead of `tokenizer`: ids, manifest, gpt2, tiktoken, jsonl, gz, parquet, journal (the unfinished work of g2c encode).

atheris (Google) changes bytes of examples and watches which lines of the loaders run, so that it finds its way into
them. Arguments that begin with - go to libFuzzer: seconds in all, -timeout=N for one file, -rss_limit_mb=N for memory.
When it finds something, it prints the traceback and writes the file as crash-…; with that name as a last argument, it
runs that one again. A folder as last argument keeps what was found for the next run. pytest does not run this; shorter
forms of it are tests/course/formats/test_untrusted.py and tests/course/corpus/test_document_fuzzing.py.
"""

import atexit
import base64
import gzip
import importlib
import io
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import atheris

# Machine code cannot be made of instrumented loops.
os.environ["G2C_COMPILED"] = "0"
importlib.import_module("g2c.engine.fast")

with atheris.instrument_imports(include=["g2c.common.files", "g2c.formats", "g2c.corpus"]):
    from g2c.common.errors import CourseError
    from g2c.corpus import encoding
    from g2c.corpus.documents import documents
    from g2c.corpus.verify import check_agreement
    from g2c.formats import interop
    from g2c.formats.artifact import load_artifact, save_artifact
    from g2c.formats.hf_format import to_hf_dict
    from g2c.formats.token_ids import load_token_ids
    from g2c.formats.tokenizer_json import load
    from g2c.solutions.bpe import BPETokenizer

TEXT = "the cat and the hat, 1234 times; l'été <|end|>\n" * 4

FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def trained(pattern=None, special_tokens=("<|endoftext|>", "<|end|>")):
    tokenizer = BPETokenizer(special_tokens, pattern=pattern)
    tokenizer.train(TEXT, tokenizer.base_vocab_size + 12, progress=False)
    return tokenizer


save_artifact(trained(), FOLDER / "artifact", trained().encode(TEXT))
MANIFEST = (FOLDER / "artifact" / "manifest.json").read_bytes()


def check_right(tokenizer):
    wrong = [check for check in check_agreement(tokenizer) if check.passed is False]
    assert not wrong, wrong


def of_tokenizer(data):
    file = FOLDER / "tokenizer.json"
    file.write_bytes(data)
    check_right(load(file, BPETokenizer))


def of_ids(data):
    file = FOLDER / "ids.uint32"
    file.write_bytes(data)
    assert load_token_ids(file).tobytes() == data


def of_manifest(data):
    (FOLDER / "artifact" / "manifest.json").write_bytes(data)
    load_artifact(FOLDER / "artifact", cls=BPETokenizer)
    assert data == MANIFEST, "a manifest was changed and believed"


def of_documents(name):
    def read(data):
        file = FOLDER / name
        file.write_bytes(data)
        for document in documents(file):
            document.encode()

    return read


def make_interrupted_work():
    """Work on a corpus that ended before its last shard; expected are the IDs of all."""
    (FOLDER / "corpus.txt").write_text(TEXT * 3)
    add = encoding._Job.add

    def stopping(job, shard, result):
        add(job, shard, result)
        if job.bytes_done > len(TEXT):
            raise KeyboardInterrupt

    encoding._Job.add = stopping
    try:
        encode()
    except KeyboardInterrupt:
        pass
    encoding._Job.add = add
    WORK.rename(FOLDER / "interrupted")


def encode():
    return encoding.encode_corpus(
        trained("gpt4"), FOLDER / "corpus.txt", FOLDER / "out", workers=1, shard_bytes=50, progress=False
    )


WORK = FOLDER / ".out.encoding"


def of_journal(data):
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.rmtree(FOLDER / "out", ignore_errors=True)
    shutil.copytree(FOLDER / "interrupted", WORK)
    (WORK / encoding.JOURNAL).write_bytes(data)
    ids = load_token_ids(encode() / "ids.uint32")
    assert ids.tolist() == trained("gpt4").encode(TEXT * 3), "a journal was changed and believed"


def of_gpt2(data):
    encoder, _, lines = data.partition(b"\0")
    check_right(interop.from_gpt2_files(encoder, lines, BPETokenizer))


def of_tiktoken(data):
    check_right(interop.from_ranks(interop.parse_ranks(data), {"<|end|>": 300}, "gpt4", BPETokenizer))


def seeds(target):
    """Examples to begin with."""
    if target == "tokenizer":
        return [json.dumps(to_hf_dict(trained(pattern))).encode() for pattern in (None, "gpt2", "gpt4")]
    if target == "ids":
        return [b"", b"\x01\0\0\0\x02\1\0\0", b"text", b"\x93NUMPY\x01\0"]
    if target == "manifest":
        return [MANIFEST]
    if target in ("jsonl", "gz"):
        lines = b"".join(json.dumps({"text": text}).encode() + b"\n" for text in ("a\0b", "[\\ud83d]", TEXT))
        return [lines] if target == "jsonl" else [gzip.compress(lines, mtime=0)]
    if target == "parquet":
        return list(parquet_files())
    if target == "journal":
        make_interrupted_work()
        return [(FOLDER / "interrupted" / encoding.JOURNAL).read_bytes()]
    if target == "gpt2":
        tokenizer = trained("gpt2", ())
        model = to_hf_dict(tokenizer)["model"]
        vocab = model["vocab"] | {"<|endoftext|>": len(model["vocab"])}
        lines = "".join(f"{left} {right}\n" for left, right in model["merges"])
        return [json.dumps(vocab).encode() + b"\0#version: 0.2\n" + lines.encode()]
    ranks = trained("gpt4", ()).vocab.items()
    return [b"".join(base64.b64encode(token) + b" %d\n" % token_id for token_id, token in ranks)]


def parquet_files():
    import pyarrow
    from pyarrow import parquet

    for compression in ("none", "zstd"):
        for use_dictionary in (True, False):
            file = io.BytesIO()
            table = pyarrow.table({"text": ["one", "two", TEXT] * 3})
            parquet.write_table(table, file, compression=compression, use_dictionary=use_dictionary, row_group_size=5)
            yield file.getvalue()


TARGETS = {
    "tokenizer": of_tokenizer,
    "ids": of_ids,
    "manifest": of_manifest,
    "gpt2": of_gpt2,
    "tiktoken": of_tiktoken,
    "jsonl": of_documents("x.jsonl"),
    "gz": of_documents("x.jsonl.gz"),
    "parquet": of_documents("x.parquet"),
    "journal": of_journal,
}
REFUSALS = {"gpt2": ValueError, "tiktoken": ValueError}


def main():
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: fuzz_loaders.py {'|'.join(TARGETS)} [-max_total_time=SECONDS] [FILE …]")
    name = sys.argv.pop(1)
    examples = FOLDER / "examples"
    examples.mkdir()
    for number, seed in enumerate(seeds(name)):
        (examples / str(number)).write_bytes(seed)
    refusal = REFUSALS.get(name, CourseError)

    def one(data):
        try:
            TARGETS[name](data)
        except refusal:
            pass

    files = [argument for argument in sys.argv[1:] if Path(argument).is_file()]
    limits = ["-timeout=10", "-rss_limit_mb=1000", f"-max_len={1 << 16}"]
    atheris.Setup([sys.argv[0], *limits, *sys.argv[1:], *([] if files else [str(examples)])], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

"""Tables of tokens edited at will, as tokenizer.json, as GPT-2's two files and as a .tiktoken file: each is read, and
then gives the IDs that its own library gives, or is refused in a sentence, within two seconds and 500 MB.

Hypothesis chooses the edits; `pytest --hypothesis-seed=N` repeats a run.
"""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from g2c.formats.hf_format import CHAR_TO_BYTE, to_hf_dict
from g2c.solutions.bpe import BPETokenizer
from support.state_machines import run_random_steps

LAYOUTS = ["tokenizer.json", "encoder.json", "ranks.tiktoken"]

# Each file is loaded in a child of this process with limits of time and memory.
_SERVER = """
import os, resource, sys
import tokenizers
from pathlib import Path
from tokenizers import models, pre_tokenizers
from g2c.common.errors import CourseError
from g2c.corpus.verify import check_agreement
from g2c.formats import interop
from g2c.formats.tokenizer_json import load
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.patterns import PATTERNS

TEXTS = ["", "the cat <|end|>", "zzzz", "l'\u00e9t\u00e9 1234\\n [[x<"]

def read(path):
    if path.name == "encoder.json":
        return interop.from_gpt2_files(path.read_bytes(), path.with_name("vocab.bpe").read_bytes(), BPETokenizer)
    if path.name == "ranks.tiktoken":
        return interop.from_ranks(interop.parse_ranks(path.read_bytes()), {}, "gpt2", BPETokenizer)
    return load(path, BPETokenizer)

def ids_of_the_library(path):
    if path.name == "ranks.tiktoken":
        import tiktoken
        from tiktoken.load import load_tiktoken_bpe
        ranks = load_tiktoken_bpe(str(path))
        encoding = tiktoken.Encoding("x", pat_str=PATTERNS["gpt2"], mergeable_ranks=ranks, special_tokens={})
        return [encoding.encode_ordinary(text) for text in TEXTS]
    if path.name == "encoder.json":
        library = tokenizers.Tokenizer(models.BPE.from_file(str(path), str(path.with_name("vocab.bpe"))))
        library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    else:
        library = tokenizers.Tokenizer.from_file(str(path))
    return [library.encode(text, add_special_tokens=False).ids for text in TEXTS]

def answer(path):
    if sys.platform == "linux":  # macOS keeps no such limit
        limit = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + 500 * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CPU, (2, 2))
    try:
        tokenizer = read(path)
    except (CourseError, ValueError) as error:
        is_expected = isinstance(error, CourseError) or path.name != "tokenizer.json"
        is_sentence = 0 < len(str(error)) < 2000 and "\\n" not in str(error)
        return "refused" if is_expected and is_sentence else f"refused by {error!r}"
    if sum(map(len, tokenizer.vocab.values())) > 2**20:
        return "read"  # the libraries that it is compared with take longer
    found, expected = [tokenizer.encode_fast(text) for text in TEXTS], ids_of_the_library(path)
    if found != expected:
        return f"read, but its IDs are {found} instead of {expected}"
    wrong = [check for check in check_agreement(tokenizer, TEXTS) if check.passed is False]
    return f"wrong: {wrong}" if wrong else "read"

for line in sys.stdin:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            result = answer(Path(line.rstrip("\\n")))
        except BaseException as error:
            result = f"{type(error).__name__}: {error}"
        os.write(writer, result[:2000].encode())
        os._exit(0)
    os.close(writer)
    result = os.read(reader, 4000).decode().replace("\\n", " ")
    os.close(reader)
    _, status = os.waitpid(child, 0)
    print(result or f"ended with status {status}", flush=True)
"""


@pytest.fixture(scope="module")
def server():
    pytest.importorskip("tiktoken")
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER],
        # tiktoken would keep a copy of the first file of this name.
        env={**os.environ, "TIKTOKEN_CACHE_DIR": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.stdin.close()


TRAINED = BPETokenizer(["<|endoftext|>", "<|end|>"], pattern="gpt2")
TRAINED.train("the cat and the hat, 1234 times; zzzzzzzz l'été\n" * 4, 275, progress=False)
SPELLINGS = st.sampled_from(["z", "zz", "zzzz", "the", "Ġthe", "Ġ", "<|end|>", "[", "Ā", "x<"]) | st.text(max_size=4)
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-1, 600), st.integers(), st.floats(), SPELLINGS,
    st.sampled_from([10**30, 2**31, [], {}, ["t", "h"], "t h", "BPE"]),
    st.integers(1, 50_000).map(lambda depth: json.loads("[" * min(depth, 200) + "]" * min(depth, 200))),
)  # fmt: skip


def machine(server: subprocess.Popen, folder: Path, edits: list[int]) -> type[RuleBasedStateMachine]:
    class Edits(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.value = json.loads(json.dumps(to_hf_dict(TRAINED)))
            self.is_large = False

        def model(self, name: str, kind: type) -> list | dict:
            """The vocabulary or the merges, also after they were replaced by something else."""
            model = self.value.get("model") if isinstance(self.value, dict) else None
            found = model.get(name) if isinstance(model, dict) else None
            return found if isinstance(found, kind) else kind()

        def add(self, merges: list[list[str]]) -> None:
            edits[0] += 1
            vocab = self.model("vocab", dict)
            for left, right in merges:
                self.model("merges", list).append([left, right])
                vocab.setdefault(left + right, len(vocab))

        @rule(left=SPELLINGS, right=SPELLINGS)
        def gets_a_merge(self, left, right):
            self.add([[left, right]])

        @precondition(lambda self: not self.is_large)
        @rule(character=st.sampled_from('z["\\é'), count=st.integers(1, 22))
        def gets_tokens_that_double(self, character, count):
            self.is_large = True
            self.add([[character * 2**exponent] * 2 for exponent in range(count)])

        @precondition(lambda self: not self.is_large)
        @rule(character=st.sampled_from("az"), count=st.integers(1, 1500))
        def gets_a_chain(self, character, count):
            self.is_large = True
            self.add([[character * length, character] for length in range(1, count)])

        @precondition(lambda self: not self.is_large)
        @rule(place=st.integers(0, 18), times=st.integers(1, 100_000))
        def repeats_a_merge(self, place, times):
            edits[0] += 1
            self.is_large = True
            merges = self.model("merges", list)
            merges[place:place] = merges[place : place + 1] * times

        @rule(token=SPELLINGS, token_id=st.integers(-1, 600) | st.integers())
        def gets_another_id(self, token, token_id):
            edits[0] += 1
            self.model("vocab", dict)[token] = token_id

        @rule(by=st.integers(1, 300), only_merges=st.booleans())
        def ids_are_moved(self, by, only_merges):
            edits[0] += 1
            vocab = self.model("vocab", dict)
            for token, token_id in vocab.items():
                if type(token_id) is int and (token_id > 257 or not only_merges):
                    vocab[token] = token_id + by
            if not only_merges and isinstance(self.value.get("added_tokens"), list):
                for entry in self.value["added_tokens"]:
                    if isinstance(entry, dict) and type(entry.get("id")) is int:
                        entry["id"] += by

        @rule(token=SPELLINGS, token_id=st.integers(0, 2**31))
        def gets_a_special_token(self, token, token_id):
            edits[0] += 1
            if isinstance(self.value.get("added_tokens"), list):
                entry = {"id": token_id, "content": token, "normalized": bool(token_id % 2), "special": True}
                self.value["added_tokens"].append(entry)

        @rule(way=st.sampled_from(["replace", "remove", "repeat"]), shares=st.lists(st.floats(0, 0.999)), new=VALUES)
        def a_part_changes(self, way, shares, new):
            edits[0] += 1
            container, name = {"": self.value}, ""
            for share in shares:
                inner = container[name]
                if not isinstance(inner, (dict, list)) or not inner:
                    break
                names = list(inner) if isinstance(inner, dict) else range(len(inner))
                container, name = inner, names[int(share * len(names))]
            if container == {"": self.value}:
                return  # the whole file
            if way == "remove":
                del container[name]
            elif way == "repeat" and isinstance(container, list):
                container.insert(name, container[name])
            else:
                container[f"{name}x" if way == "repeat" else name] = container[name] if way == "repeat" else new

        @rule(pattern=st.sampled_from(["(a+)+b", "a*", "(", r"\w+|\W", "(z|z)+!"]))
        def gets_another_pattern(self, pattern):
            edits[0] += 1
            try:
                self.value["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = pattern
            except (KeyError, IndexError, TypeError):
                pass  # that part is gone

        @rule(layout=st.sampled_from(LAYOUTS), change=st.none() | st.tuples(st.floats(0, 1), st.binary(max_size=6)))
        def is_loaded(self, layout, change):
            file = folder / layout
            content = self.written(layout)
            if change is not None:
                edits[0] += 1
                place = int(change[0] * len(content))
                content = content[:place] + change[1] + content[place + len(change[1]) // 2 :]
            file.write_bytes(content)
            server.stdin.write(f"{file}\n")
            server.stdin.flush()
            result = server.stdout.readline().strip()
            assert result in ("read", "refused"), f"loading {file}: {result}"

        def written(self, layout: str) -> bytes:
            if layout == "tokenizer.json":
                return json.dumps(self.value, ensure_ascii=False).encode("utf-8", "surrogatepass")
            # These have no special tokens between the bytes and the merges.
            vocab = {
                token: token_id - 2 * (token_id > 257) if type(token_id) is int else token_id
                for token, token_id in self.model("vocab", dict).items()
                if token not in TRAINED.special_tokens
            }
            if layout == "ranks.tiktoken":
                return b"".join(
                    base64.b64encode(
                        bytes(CHAR_TO_BYTE[char] for char in token)
                        if set(token) <= CHAR_TO_BYTE.keys()
                        else token.encode("utf-8", "surrogatepass")
                    )
                    + f" {token_id}\n".encode("utf-8", "surrogatepass")
                    for token, token_id in vocab.items()
                )
            merges = [parts if isinstance(parts, list) else [parts] for parts in self.model("merges", list)]
            bpe = "\n".join(["#version: 0.2", *(" ".join(map(str, parts)) for parts in merges), ""])
            (folder / "vocab.bpe").write_bytes(bpe.encode("utf-8", "surrogatepass"))
            vocab["<|endoftext|>"] = len(vocab)
            return json.dumps(vocab, ensure_ascii=False).encode("utf-8", "surrogatepass")

        def teardown(self) -> None:
            for layout in LAYOUTS:
                self.is_loaded(layout, None)

    return Edits


@pytest.mark.whole
def test_many_changes_of_a_table_are_answered_within_two_seconds_and_500_megabytes(server, tmp_path, record_property):
    edits = [0]
    run_random_steps(machine(server, tmp_path, edits), sequences=158, steps=8)
    record_property("times", edits[0])

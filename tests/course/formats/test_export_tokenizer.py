"""`g2c export` of a tokenizer alone: for tiktoken, nanochat, llama.cpp, and older versions of `tokenizers`."""

import json
import pickle
import shutil
import subprocess
import sys
from hashlib import sha256

import pytest
import tokenizers

from g2c.common.errors import CourseError
from g2c.course import cli
from g2c.formats.artifact import save_artifact
from g2c.formats.export import export
from g2c.formats.export_tokenizer import NANOCHAT_SPECIAL_TOKENS
from g2c.formats.interop import from_ranks, parse_ranks
from g2c.formats.tokenizer_json import load
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.chat import chat_template

CORPUS = "She sells sea shells, I'm sure: 12345 naïve café 日本語 Привет 👋🏽\n  def f(x):\n    return x\n" * 4
TEXTS = [
    CORPUS,
    "",
    " \n \n\n a  b\t",
    "I'LL she'd 'tis x's",
    "0123456789 ½ ²",
    "naïve 日本語 👋🏽 ünter\u00a0\u2028\u0085",
    "<|end|> she <|pad|><|end",
    "a\n  ",
]
# CHK_TXT in llama.cpp's convert_hf_to_gguf_update.py, spelled in ASCII.
CONVERTERS_TEXT = (
    "\n \n\n \n\n\n \t \t\t \t\n  \n   \n    \n     \n\U0001f680 (normal) \U0001f636\u200d\U0001f32b\ufe0f "
    "(multiple emojis concatenated) \u2705 \U0001f999\U0001f999 3 33 333 3333 33333 333333 3333333 33333333 3.3 "
    "3..3 3...3 \u1780\u17b6\u1793\u17cb\u178f\u17c2\u1796\u17b7\u179f\u17c1\u179f\u17a2\u17b6\u1785\U0001f601 "
    "?\u6211\u60f3\u5728apple\u5de5\u4f5c1314151\u5929\uff5e ------======= \u043d\u0435\u0449\u043e \u043d\u0430 "
    "\u0411\u044a\u043b\u0433\u0430\u0440\u0441\u043a\u0438 ''''''```````\"\"\"\"......!!!!!!?????? I've been 'told "
    "he's there, 'RE you sure? 'M not sure I'll make it, 'D you like some tea? We'Ve a'lL"
)
by_pattern = pytest.mark.parametrize("pattern", ["gpt2", "gpt4"])


@pytest.fixture(scope="module")
def artifacts(tmp_path_factory):
    """Pattern -> (a tokenizer with the course's special tokens, its artifact)."""
    made = {}
    for pattern in (None, "gpt2", "gpt4", "[a-z]+"):
        tokenizer = BPETokenizer.with_course_special_tokens(pattern=pattern)
        tokenizer.train_exact(CORPUS, 300, progress=False)
        made[pattern] = tokenizer, save_artifact(tokenizer, tmp_path_factory.mktemp("saved") / "sea", [1, 2])
    return made


# --- tokenizers below 0.20 --------------------------------------------------------------------------------------------


@by_pattern
def test_merges_as_strings_are_the_form_of_tokenizers_below_0_20(artifacts, tmp_path, pattern):
    tokenizer, artifact = artifacts[pattern]
    folder = export(artifact, "tokenizers", tmp_path / "old", merges_as_strings=True)
    assert sorted(path.name for path in folder.iterdir()) == [
        "chat_template.jinja",
        "tokenizer.json",
        "tokenizer_config.json",
    ]
    content = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
    assert all(isinstance(merge, str) and merge.count(" ") == 1 for merge in content["model"]["merges"])
    rust = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert [rust.encode(text).ids for text in TEXTS] == [tokenizer.encode(text) for text in TEXTS]
    assert load(folder).merges == tokenizer.merges
    same = export(artifact, "tokenizers", tmp_path / "new")
    assert (same / "tokenizer.json").read_bytes() == (artifact / "tokenizer.json").read_bytes()


def test_merges_as_strings_belong_to_one_format(artifacts, tmp_path, capsys):
    _, artifact = artifacts["gpt2"]
    with pytest.raises(CourseError, match="belong to the format tokenizers, not to nanogpt"):
        export(artifact, "nanogpt", tmp_path / "data", merges_as_strings=True)
    command = ["export", str(artifact), "--format", "tokenizers", "--merges-as-strings", "--output"]
    assert cli.main([*command, str(tmp_path / "old")]) == 0
    assert "old/tokenizer.json" in capsys.readouterr().out


# --- tiktoken ---------------------------------------------------------------------------------------------------------


@pytest.mark.interop
@pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"])
def test_tiktoken_reads_its_ranks_file(artifacts, tmp_path, pattern):
    tiktoken = pytest.importorskip("tiktoken", reason="tiktoken is not installed (pip install -e '.[interop]')")
    tiktoken_load = pytest.importorskip("tiktoken.load")
    tokenizer, artifact = artifacts[pattern]
    folder = export(artifact, "tiktoken", tmp_path / "data")
    others = json.loads((folder / "encoding.json").read_text(encoding="utf-8"))
    ranks = parse_ranks((folder / "ranks.tiktoken").read_bytes())
    assert ranks == tiktoken_load.load_tiktoken_bpe(str(folder / "ranks.tiktoken"))
    encoding = tiktoken.Encoding(**others, mergeable_ranks=ranks)
    for text in TEXTS:
        assert encoding.encode(text, allowed_special="all") == tokenizer.encode(text)
    again = from_ranks(ranks, others["special_tokens"], pattern, BPETokenizer)
    assert (again.merges, again.special_to_id) == (tokenizer.merges, tokenizer.special_to_id)


@pytest.mark.interop
@pytest.mark.parametrize("name", ["tiktoken", "nanochat"])
def test_a_pattern_of_ones_own_is_not_exported(artifacts, tmp_path, name):
    pytest.importorskip("tiktoken", reason="tiktoken is not installed (pip install -e '.[interop]')")
    with pytest.raises(CourseError, match="may split texts in another way in tiktoken's regex engine"):
        export(artifacts["[a-z]+"][1], name, tmp_path / "data")
    assert not (tmp_path / "data").exists()


# --- nanochat: nanochat/tokenizer.py, scripts/tok_train.py ------------------------------------------------------------


@pytest.mark.interop
@pytest.mark.filterwarnings("ignore:token_bytes.pt was not written")
@by_pattern
def test_nanochat_as_its_tokenizer_py_reads_it(artifacts, tmp_path, pattern):
    pytest.importorskip("tiktoken", reason="tiktoken is not installed (pip install -e '.[interop]')")
    tokenizer, artifact = artifacts[pattern]
    folder = export(artifact, "nanochat", tmp_path / "data")
    encoding = pickle.loads((folder / "tokenizer.pkl").read_bytes())
    special = [encoding.encode_single_token(token) for token in NANOCHAT_SPECIAL_TOKENS]
    assert special == list(range(300, 309)), "the IDs after the tokenizer's own"
    assert encoding.n_vocab == 309
    for text in TEXTS:
        assert encoding.encode_ordinary(text) == tokenizer.encode_ordinary(text)


@pytest.mark.interop
def test_without_torch_nanochat_gets_no_token_bytes_and_the_user_a_sentence(artifacts, tmp_path, monkeypatch):
    pytest.importorskip("tiktoken", reason="tiktoken is not installed (pip install -e '.[interop]')")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.warns(UserWarning, match="token_bytes.pt was not written, because torch is not installed"):
        folder = export(artifacts["gpt4"][1], "nanochat", tmp_path / "data")
    assert [path.name for path in folder.iterdir()] == ["tokenizer.pkl"]


@pytest.mark.interop
def test_nanochat_reads_the_length_of_each_token(artifacts, tmp_path):
    pytest.importorskip("tiktoken", reason="tiktoken is not installed (pip install -e '.[interop]')")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    tokenizer, artifact = artifacts["gpt4"]
    folder = export(artifact, "nanochat", tmp_path / "data")
    with open(folder / "token_bytes.pt", "rb") as file:
        lengths = torch.load(file, map_location="cpu")
    assert lengths.dtype == torch.int32
    expected = [len(token) * (token_id not in tokenizer.id_to_special) for token_id, token in tokenizer.vocab.items()]
    assert lengths.tolist() == [length for _, length in sorted(zip(tokenizer.vocab, expected))] + [0] * 9


# --- llama.cpp: gguf, conversion/base.py, src/llama-vocab.cpp ---------------------------------------------------------


@pytest.mark.interop
@by_pattern
def test_llama_cpp_gets_a_vocabulary_that_gguf_reads_back(artifacts, tmp_path, pattern):
    gguf = pytest.importorskip("gguf", reason="gguf is not installed (pip install -e '.[interop]')")
    tokenizer, artifact = artifacts[pattern]
    reader = gguf.GGUFReader(export(artifact, "llama.cpp", tmp_path / "data") / "tokenizer.gguf")
    fields = {name: field.contents() for name, field in reader.fields.items()}
    content = json.loads((artifact / "tokenizer.json").read_text(encoding="utf-8"))
    by_id = {token_id: token for token, token_id in content["model"]["vocab"].items()}
    assert fields["tokenizer.ggml.tokens"] == [by_id[token_id] for token_id in range(300)]
    assert fields["tokenizer.ggml.merges"] == [" ".join(merge) for merge in content["model"]["merges"]]
    kinds = fields["tokenizer.ggml.token_type"]
    assert {token_id for token_id, kind in enumerate(kinds) if kind == 3} == tokenizer.special_token_ids
    assert fields["tokenizer.ggml.model"] == "gpt2"
    assert fields["tokenizer.ggml.pre"] == {"gpt2": "gpt-2", "gpt4": "llama-bpe"}[pattern]
    named = {"eos": "<|endoftext|>", "eot": "<|end|>", "padding": "<|pad|>"}
    for name, token in named.items():
        assert fields[f"tokenizer.ggml.{name}_token_id"] == tokenizer.special_to_id[token]
    assert fields["tokenizer.ggml.add_bos_token"] is fields["tokenizer.ggml.add_eos_token"] is False
    assert fields["tokenizer.chat_template"] == chat_template().decode()


@pytest.mark.interop
def test_unused_ids_are_padding_for_llama_cpp(tmp_path):
    gguf = pytest.importorskip("gguf", reason="gguf is not installed (pip install -e '.[interop]')")
    artifact = save_artifact(BPETokenizer({"<|endoftext|>": 258}, pattern="gpt2"), tmp_path / "holes", [1, 2])
    reader = gguf.GGUFReader(export(artifact, "llama.cpp", tmp_path / "data") / "tokenizer.gguf")
    assert reader.fields["tokenizer.ggml.tokens"].contents()[255:] == ["ÿ", "[PAD256]", "[PAD257]", "<|endoftext|>"]
    assert reader.fields["tokenizer.ggml.token_type"].contents()[255:] == [1, 5, 5, 3]


@pytest.mark.interop
@by_pattern
def test_llama_cpps_converter_recognizes_the_hash_of_its_text(artifacts, tmp_path, pattern):
    """The converter hashes the IDs of a text of its own, and looks the hash up in a list of `if` statements."""
    pytest.importorskip("gguf", reason="gguf is not installed (pip install -e '.[interop]')")
    tokenizer, artifact = artifacts[pattern]
    folder = export(artifact, "llama.cpp", tmp_path / "data")
    lines = (folder / "pre_tokenizer.txt").read_text(encoding="utf-8")
    known = sha256(str(tokenizer.encode(CONVERTERS_TEXT)).encode()).hexdigest()
    expected = {"gpt2": "gpt-2", "gpt4": "llama-bpe"}[pattern]
    assert lines == f'        if chkhsh == "{known}":\n            res = "{expected}"\n'


@pytest.mark.parametrize(("pattern", "named"), [(None, "no pattern"), ("[a-z]+", r"the pattern '\[a-z\]\+'")])
def test_llama_cpp_knows_two_patterns(artifacts, tmp_path, pattern, named):
    with pytest.raises(CourseError, match=f"knows the patterns gpt2 and gpt4, but this tokenizer has {named}"):
        export(artifacts[pattern][1], "llama.cpp", tmp_path / "data")
    assert not (tmp_path / "data").exists()


@pytest.mark.interop
@by_pattern
def test_llama_cpp_gives_our_ids(artifacts, tmp_path, pattern):
    """By node-llama-cpp, which contains llama.cpp itself."""
    pytest.importorskip("gguf", reason="gguf is not installed (pip install -e '.[interop]')")
    tokenizer, artifact = artifacts[pattern]
    file = export(artifact, "llama.cpp", tmp_path / "data") / "tokenizer.gguf"
    node = shutil.which("node")
    if node is None:
        pytest.skip("node-llama-cpp needs Node.js, which is not installed")
    program = f"""import {{ createRequire }} from "module";
    import {{ pathToFileURL }} from "url";
    const found = createRequire(import.meta.url).resolve("node-llama-cpp");
    const {{ getLlama, LlamaLogLevel }} = await import(pathToFileURL(found));
    const llama = await getLlama({{ build: "never", gpu: false, logLevel: LlamaLogLevel.error }});
    const model = await llama.loadModel({{ modelPath: {json.dumps(str(file))}, vocabOnly: true }});
    const ids = {json.dumps(TEXTS)}.map((text) => [...model.tokenize(text, true)]);
    console.log(JSON.stringify(ids));
    process.exit(0);"""
    script = tmp_path / "ids.mjs"
    script.write_text(program, encoding="utf-8")
    done = subprocess.run([node, script], capture_output=True, text=True)
    if "Cannot find module 'node-llama-cpp'" in done.stderr:
        pytest.skip("node-llama-cpp is not installed (npm install node-llama-cpp, NODE_PATH=…/node_modules)")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == [tokenizer.encode(text) for text in TEXTS]

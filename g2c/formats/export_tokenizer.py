"""A tokenizer in the files of other programs: tiktoken, nanochat, llama.cpp, and older versions of `tokenizers`.

    format      files                                  content
    tokenizers  tokenizer.json and its neighbors       as in an artifact; for versions below 0.20, merges as strings
    tiktoken    ranks.tiktoken, encoding.json          a token and its ID in each line; the other arguments of Encoding
    nanochat    tokenizer.pkl, token_bytes.pt          a pickled Encoding, with nanochat's special tokens; token lengths
    llama.cpp   tokenizer.gguf, pre_tokenizer.txt      the vocabulary; two lines for llama.cpp's converter

Sources: tiktoken's load.py (OpenAI), nanochat's nanochat/tokenizer.py and scripts/tok_train.py (Karpathy 2025),
llama.cpp's conversion/base.py, convert_hf_to_gguf_update.py and src/llama-vocab.cpp.
"""

import base64
import json
import os
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from g2c.common.errors import CourseError
from g2c.common.files import write_flushed
from g2c.common.packages import install_command
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.formats.hf_format import spellings, to_hf_dict
from g2c.formats.interop import to_hf, to_tiktoken
from g2c.formats.tokenizer_json import TOKENIZER_FILE, json_bytes, render_files
from g2c.formats.validity import UnsupportedTokenizer
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.chat import chat_template, has_chat_tokens
from g2c.tokenizer.patterns import PATTERNS

if TYPE_CHECKING:
    import tiktoken

NewFile = tuple[str, Callable[[Path], None]]
"""A file name, and a function that writes the file to a path."""


def content_writer(blocks: Iterable[bytes]) -> Callable[[Path], None]:
    """The function of a `NewFile` whose content is known."""
    return lambda path: write_flushed(path, blocks)


def _tokenizers(tokenizer: BPEBase, merges_as_strings: bool) -> Iterator[NewFile]:
    files = render_files(tokenizer)
    if merges_as_strings:
        content = to_hf_dict(tokenizer)
        content["model"]["merges"] = [f"{left} {right}" for left, right in content["model"]["merges"]]
        files[TOKENIZER_FILE] = json.dumps(content, indent=2, ensure_ascii=False).encode()
    for name, data in files.items():
        yield name, content_writer([data])


# --- tiktoken and nanochat --------------------------------------------------------------------------------------------


def _encoding(tokenizer: BPEBase) -> "tiktoken.Encoding":
    try:
        return to_tiktoken(tokenizer)
    except UnsupportedTokenizer as error:
        raise CourseError(str(error)) from None
    except ModuleNotFoundError:
        raise CourseError(f"This format needs tiktoken. Install it with: {install_command('tiktoken')}") from None


def _tiktoken(tokenizer: BPEBase, merges_as_strings: bool) -> Iterator[NewFile]:
    encoding = _encoding(tokenizer)
    ranks = sorted((rank, token) for token, rank in encoding._mergeable_ranks.items())
    lines = b"".join(base64.b64encode(token) + b" %d\n" % rank for rank, token in ranks)
    others = {"name": encoding.name, "pat_str": encoding._pat_str, "special_tokens": encoding._special_tokens}
    yield "ranks.tiktoken", content_writer([lines])
    yield "encoding.json", content_writer([json_bytes(others)])


NANOCHAT_SPECIAL_TOKENS = (
    "<|bos|>",
    "<|user_start|>",
    "<|user_end|>",
    "<|assistant_start|>",
    "<|assistant_end|>",
    "<|python_start|>",
    "<|python_end|>",
    "<|output_start|>",
    "<|output_end|>",
)


def _nanochat(tokenizer: BPEBase, merges_as_strings: bool) -> Iterator[NewFile]:
    encoding = _encoding(tokenizer)
    special = dict(encoding._special_tokens)
    for token in NANOCHAT_SPECIAL_TOKENS:
        special.setdefault(token, max(*tokenizer.vocab, *special.values()) + 1)
    encoding = type(encoding)(
        "g2c", pat_str=encoding._pat_str, mergeable_ranks=encoding._mergeable_ranks, special_tokens=special
    )
    yield "tokenizer.pkl", content_writer([pickle.dumps(encoding, protocol=4)])
    try:
        import torch
    except ImportError:
        warnings.warn(
            "token_bytes.pt was not written, because torch is not installed; nanochat needs it for bits per byte.",
            stacklevel=2,
        )
        return
    # nanochat does not count special tokens.
    lengths = [0] * encoding.n_vocab
    for piece, rank in encoding._mergeable_ranks.items():
        lengths[rank] = len(piece)

    def write(path: Path) -> None:
        with open(path, "xb") as file:
            torch.save(torch.tensor(lengths, dtype=torch.int32), file)
            file.flush()
            os.fsync(file.fileno())

    yield "token_bytes.pt", write


# --- llama.cpp --------------------------------------------------------------------------------------------------------

LLAMA_CPP_PRE_TOKENIZERS = {PATTERNS["gpt2"]: "gpt-2", PATTERNS["gpt4"]: "llama-bpe"}
"""Pattern -> its name in llama.cpp, which knows a fixed number of patterns."""

# The converter recognizes a pre-tokenizer by the IDs of this text.
_CONVERTERS_TEXT = (
    "\n \n\n \n\n\n \t \t\t \t\n  \n   \n    \n     \n🚀 (normal) 😶\u200d🌫️ (multiple emojis concatenated) ✅ 🦙🦙 "
    "3 33 333 3333 33333 333333 3333333 33333333 3.3 3..3 3...3 កាន់តែពិសេសអាច😁 ?我想在apple工作1314151天～ "
    "------======= нещо на Български ''''''```````\"\"\"\"......!!!!!!?????? I've been 'told he's there, 'RE you sure? "
    "'M not sure I'll make it, 'D you like some tea? We'Ve a'lL"
)


def _llama_cpp(tokenizer: BPEBase, merges_as_strings: bool) -> Iterator[NewFile]:
    name = LLAMA_CPP_PRE_TOKENIZERS.get(tokenizer.pattern or "")
    if name is None:
        raise CourseError(
            "llama.cpp knows the patterns gpt2 and gpt4, but this tokenizer has "
            f"{'no pattern' if tokenizer.pattern is None else f'the pattern {tokenizer.pattern!r}'}; train it with "
            "pattern='gpt2' or pattern='gpt4'."
        )
    try:
        import gguf
    except ImportError:
        raise CourseError(f"Writing GGUF needs gguf. Install it with: {install_command('gguf')}") from None

    def write(path: Path) -> None:
        # The architecture is only a name here: the file has no model.
        writer = gguf.GGUFWriter(path, "llama")
        writer.add_vocab_size(max(tokenizer.vocab) + 1)
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre(name)
        spelling = spellings(tokenizer)
        every = range(max(spelling) + 1)
        writer.add_token_list([spelling.get(token_id, f"[PAD{token_id}]") for token_id in every])
        kinds = {token_id: gguf.TokenType.NORMAL for token_id in spelling}
        kinds.update(dict.fromkeys(tokenizer.id_to_special, gguf.TokenType.CONTROL))
        writer.add_token_types([kinds.get(token_id, gguf.TokenType.UNUSED) for token_id in every])
        writer.add_token_merges([f"{spelling[left]} {spelling[right]}" for left, right in tokenizer.merges])
        for token, add in (
            (DOCUMENT_SEPARATOR, writer.add_eos_token_id),
            ("<|end|>", writer.add_eot_token_id),
            ("<|pad|>", writer.add_pad_token_id),
        ):
            if token in tokenizer.special_to_id:
                add(tokenizer.special_to_id[token])
        writer.add_add_bos_token(False)
        writer.add_add_eos_token(False)
        if has_chat_tokens(tokenizer):
            writer.add_chat_template(chat_template().decode())
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        with open(path, "rb") as file:
            os.fsync(file.fileno())

    ids = to_hf(tokenizer).encode(_CONVERTERS_TEXT).ids
    lines = f'        if chkhsh == "{sha256(str(ids).encode()).hexdigest()}":\n            res = "{name}"\n'
    yield "tokenizer.gguf", write
    yield "pre_tokenizer.txt", content_writer([lines.encode()])


TOKENIZER_FORMATS: dict[str, Callable[[BPEBase, bool], Iterator[NewFile]]] = {
    "tokenizers": _tokenizers,
    "tiktoken": _tiktoken,
    "nanochat": _nanochat,
    "llama.cpp": _llama_cpp,
}
"""Name -> a generator of the format's files, from a tokenizer and the choice to write merges as strings.

Before the first file, it raises a CourseError if the format cannot represent the tokenizer or a package is missing."""

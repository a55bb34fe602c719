"""Published tokenizers, loaded from the files that their authors published: from GPT-2 to DeepSeek V3, and BERT.

The files are fetched with `./datasets.sh gpt2 cl100k bert o200k llama3 qwen3 deepseek`;
`g2c.corpus.corpora.TABLES` lists their sources.
"""

import json
from pathlib import Path

import tokenizers

from g2c.corpus.corpora import read_table
from g2c.formats.from_vocabulary import parse_ranks, table_of_merges, table_of_ranks, untrained
from g2c.formats.hf_format import chars_to_bytes
from g2c.formats.kept import kept_table
from g2c.formats.table import Table
from g2c.formats.tokenizer_json import parse_tokenizer
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.patterns import PATTERNS

_FROM_128000 = "begin_of_text end_of_text reserved_special_token_0 reserved_special_token_1".split()
_FROM_128000 += "finetune_right_pad_id step_id start_header_id end_header_id eom_id eot_id python_tag image".split()
_FROM_128000 += [f"reserved_special_token_{number}" for number in range(2, 246)]
_FROM_100257 = "endoftext fim_prefix fim_middle fim_suffix".split()

_OF_RANKS: dict[str, tuple[str, dict[str, int]]] = {
    "cl100k": ("gpt4", {name: 100257 + n for n, name in enumerate(_FROM_100257)} | {"endofprompt": 100276}),
    "o200k": ("o200k", {"endoftext": 199999, "endofprompt": 200018}),
    "llama3": ("llama3", {name: 128000 + n for n, name in enumerate(_FROM_128000)}),
}
"""What .tiktoken files lack: the pattern, and the special tokens, without <| and |>. Sources: tiktoken (OpenAI 2023,
2024), llama-models (Meta 2024)."""


def load_published(name: str, cls: type[BPEBase] = BPEBase) -> BPEBase:
    """Load the tokenizer in a table of `corpora.TABLES`: see `g2c.tokenizer.load_gpt2` and the functions after it."""
    contents = read_table(name)
    return kept_table(name, contents, lambda: _table(name, *contents)).tokenizer(cls)


def _table(name: str, data: bytes, *others: bytes) -> Table:
    """Make the table of a published tokenizer from the content of its files."""
    if name == "gpt2":
        # A JSON object, token -> ID; and a line with the version, then a line "left right" for each merge.
        vocab, end = json.loads(data), "<|endoftext|>"
        special = {end: vocab.pop(end)}
        merges = [line.split(" ") for line in others[0].decode().rstrip("\n").split("\n")[1:]]
        return table_of_merges(
            {chars_to_bytes(token): token_id for token, token_id in vocab.items()},
            [(chars_to_bytes(left), chars_to_bytes(right)) for left, right in merges],
            untrained(PATTERNS["gpt2"], special),
        )
    if name in _OF_RANKS:
        pattern, special = _OF_RANKS[name]
        return table_of_ranks(parse_ranks(data), {f"<|{token}|>": special[token] for token in special}, pattern)
    return parse_tokenizer(data, Path(f"{name}-tokenizer.json"))


def load_deepseek() -> tokenizers.Tokenizer:
    """Load DeepSeek V3's tokenizer, in Hugging Face's library `tokenizers`: it splits a text by three regexes.

    It has 127,997 tokens and 818 special tokens. Raises CorpusError as `load_bert` does.
    """
    [data] = read_table("deepseek")
    return tokenizers.Tokenizer.from_str(data.decode())


def load_bert() -> tokenizers.Tokenizer:
    """Load BERT's tokenizer (Devlin et al. 2018, base, uncased): WordPiece, in Hugging Face's library `tokenizers`.

    `encode` puts [CLS] before the text and [SEP] after it. Raises CorpusError if the published file is not here.
    """
    [table] = read_table("bert")
    vocab = {token: token_id for token_id, token in enumerate(table.decode().splitlines())}
    return tokenizers.Tokenizer.from_str(tokenizers.BertWordPieceTokenizer(vocab).to_str())

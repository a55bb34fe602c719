"""Published tokenizers, loaded from the files that their authors published: from GPT-2 to DeepSeek V3, and BERT.

The files are fetched with `./datasets.sh gpt2 cl100k bert o200k llama3 qwen3 deepseek`;
`g2c.corpus.corpora.TABLES` lists their sources.
"""

import json
from pathlib import Path

import tokenizers

from g2c.corpus.corpora import read_table
from g2c.formats import interop
from g2c.formats.hf_format import BYTE_TO_CHAR
from g2c.formats.tokenizer_json import parse_tokenizer
from g2c.formats.validity import build_tokenizer
from g2c.tokenizer.base import BPEBase


def load_gpt2(cls: type[BPEBase] = BPEBase) -> BPEBase:
    """Load GPT-2's tokenizer (Radford et al. 2019): see `g2c.tokenizer.load_gpt2`."""
    # A JSON object, token -> ID; and a line with the version, then a line "left right" for each merge.
    encoder_json, vocab_bpe = read_table("gpt2")
    vocab, end = json.loads(encoder_json), "<|endoftext|>"
    merges = [line.split(" ") for line in vocab_bpe.decode().rstrip("\n").split("\n")[1:]]
    alphabet = list(BYTE_TO_CHAR.values())
    return build_tokenizer(cls, vocab, alphabet, merges, {end: vocab[end]}, "gpt2")


def _from_ranks(name: str, special_tokens: dict[str, int], cls: type[BPEBase]) -> BPEBase:
    (table,) = read_table(name)
    return interop.from_ranks(interop.parse_ranks(table), special_tokens, "gpt4" if name == "cl100k" else name, cls)


def load_cl100k(cls: type[BPEBase] = BPEBase) -> BPEBase:
    """Load cl100k_base, the tokenizer of GPT-4 (OpenAI 2023, tiktoken): see `g2c.tokenizer.load_cl100k`."""
    names = ["endoftext", "fim_prefix", "fim_middle", "fim_suffix"]
    special_tokens = {f"<|{name}|>": token_id for token_id, name in enumerate(names, start=100257)}
    return _from_ranks("cl100k", special_tokens | {"<|endofprompt|>": 100276}, cls)


def load_o200k(cls: type[BPEBase] = BPEBase) -> BPEBase:
    """Load o200k_base, the tokenizer of GPT-4o (OpenAI 2024, tiktoken): see `g2c.tokenizer.load_o200k`."""
    return _from_ranks("o200k", {"<|endoftext|>": 199999, "<|endofprompt|>": 200018}, cls)


def load_llama3(cls: type[BPEBase] = BPEBase) -> BPEBase:
    """Load Llama 3's tokenizer (Meta 2024, llama-models): see `g2c.tokenizer.load_llama3`."""
    names = ["begin_of_text", "end_of_text", "reserved_special_token_0", "reserved_special_token_1"]
    names += ["finetune_right_pad_id", "step_id", "start_header_id", "end_header_id", "eom_id", "eot_id", "python_tag"]
    names += ["image", *(f"reserved_special_token_{number}" for number in range(2, 246))]
    return _from_ranks("llama3", {f"<|{name}|>": 128_000 + position for position, name in enumerate(names)}, cls)


def load_qwen3(cls: type[BPEBase] = BPEBase) -> BPEBase:
    """Load Qwen 3's tokenizer (Alibaba 2025): see `g2c.tokenizer.load_qwen3`."""
    (data,) = read_table("qwen3")
    return parse_tokenizer(data, Path("qwen3-tokenizer.json"), cls)


def load_deepseek(cls: type[BPEBase] = BPEBase) -> BPEBase:
    """Load DeepSeek V3's tokenizer (DeepSeek 2024): see `g2c.tokenizer.load_deepseek`."""
    (data,) = read_table("deepseek")
    return parse_tokenizer(data, Path("deepseek-v3-tokenizer.json"), cls)


def load_bert() -> tokenizers.Tokenizer:
    """BERT's tokenizer (Devlin et al. 2018, base, uncased): WordPiece, by the library `tokenizers`.

    Text is lower-cased, accents are removed, and words are split at spaces and punctuation. Each word is then split
    from the left into the longest matching tokens; a token inside a word begins with ##. If no token matches, the whole
    word becomes [UNK]. `encode` puts [CLS] before the text and [SEP] after it.

    Raises:
        CorpusError: the file is not in the data folder, or is not the published one.
    """
    (table,) = read_table("bert")
    vocab = {token: token_id for token_id, token in enumerate(table.decode().splitlines())}
    bert = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocab, unk_token="[UNK]", max_input_chars_per_word=100))
    bert.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    bert.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    bert.post_processor = tokenizers.processors.BertProcessing(("[SEP]", vocab["[SEP]"]), ("[CLS]", vocab["[CLS]"]))
    bert.decoder = tokenizers.decoders.WordPiece()
    bert.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return bert

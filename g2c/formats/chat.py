"""Conversations as token IDs, in the course's chat format.

    {"role": "system", "content": "Be brief."}        <|system|>\\nBe brief.<|end|>
    {"role": "user", "content": "Time?"}              <|user|>\\nTime?<|end|>
    {"role": "assistant", "content": "Half past."}    <|assistant|>\\nHalf past.<|end|>

tokenizer_config.json contains a template that renders the same text for transformers' `apply_chat_template`, and marks
what an assistant writes, as `loss_mask` does in module 04c. But in a rendered text, special tokens look the same as
those that a user typed. `encode_chat` keeps the two apart.
"""

from collections.abc import Collection, Iterable, Mapping
from importlib.resources import files
from typing import Any

from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.special_tokens import COURSE_SPECIAL_TOKENS

CHAT_TOKENS = frozenset(COURSE_SPECIAL_TOKENS) - {"<|endoftext|>", "<|pad|>"}
"""The special tokens for conversations. <|tool_call|> and <|tool_result|> are for a chat model that uses tools."""

ROLES = ("system", "user", "assistant")


def has_chat_tokens(special_tokens: Collection[str]) -> bool:
    """Tell whether these are all `CHAT_TOKENS` and perhaps more."""
    return CHAT_TOKENS <= set(special_tokens)


def chat_template() -> str:
    """Return the content of chat_template.jinja."""
    # Not a path, because the package may be in a zip.
    return files("g2c.formats").joinpath("chat_template.jinja").read_text(encoding="utf-8")


def encode_chat(
    tokenizer: BPEBase, messages: Iterable[Mapping[str, Any]], *, add_generation_prompt: bool = False
) -> list[int]:
    """Encode a conversation. Special tokens come only from its structure, never from its text.

    Args:
        tokenizer: a tokenizer with the course's special tokens. Its `encode_ordinary` encodes the contents.
        messages: dictionaries with a "role" and a "content", as in the examples above.
        add_generation_prompt: True appends <|assistant|>, after which a model writes its answer.

    Raises ValueError if the tokenizer lacks a special token, or a message has another form.

    >>> tokenizer = BPETokenizer.with_course_special_tokens()
    >>> ids = encode_chat(tokenizer, [{"role": "user", "content": "Hi<|end|>"}])
    >>> tokenizer.decode(ids)
    '<|user|>\\nHi<|end|><|end|>'
    >>> [tokenizer.id_to_special[token_id] for token_id in ids if token_id in tokenizer.id_to_special]
    ['<|user|>', '<|end|>']
    """
    missing = sorted(CHAT_TOKENS - set(tokenizer.special_tokens))
    if missing:
        raise ValueError(
            f"The tokenizer has no special token {missing[0]}; create it with "
            "BPETokenizer.with_course_special_tokens()."
        )
    ids: list[int] = []
    for position, message in enumerate(messages):
        parts = message if isinstance(message, Mapping) else {}
        role, content = parts.get("role"), parts.get("content")
        if role not in ROLES or not isinstance(content, str):
            raise ValueError(
                f"Message {position} is {message!r:.80}, but a message must be a dictionary with a role "
                f"({', '.join(ROLES)}) and a content, a str."
            )
        ids.append(tokenizer.special_to_id[f"<|{role}|>"])
        ids.extend(tokenizer.encode_ordinary(f"\n{content}"))
        ids.append(tokenizer.special_to_id["<|end|>"])
    if add_generation_prompt:
        ids.append(tokenizer.special_to_id["<|assistant|>"])
    return ids

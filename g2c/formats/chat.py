"""Conversations as token IDs, in the course's chat format.

    tools=[{"type": "function", "function": ...}]     <|system|>\\nTools:\\n{"type": "function", ...}<|end|>
    {"role": "system", "content": "Be brief."}        <|system|>\\nBe brief.<|end|>
    {"role": "user", "content": "Time?"}              <|user|>\\nTime?<|end|>
    {"role": "assistant", "tool_calls": [...]}        <|tool_call|>\\n{"name": "clock", "arguments": {}}<|end|>
    {"role": "tool", "content": "12:30"}              <|tool_result|>\\n12:30<|end|>
    {"role": "assistant", "content": "Half past."}    <|assistant|>\\nHalf past.<|end|>

Messages and tools have the form that transformers' `apply_chat_template` takes. A content is a str, or a list of parts
{"type": "text", "text": ...}. chat_template.jinja, which is saved with each tokenizer that has the course's special
tokens, renders the same text, and marks what an assistant writes: tool calls, and everything after <|assistant|> up to
<|end|>. But in a text that a template rendered, special tokens look the same as those that a user typed. `encode_chat`
keeps the two apart.
"""

import json
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any

from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.special_tokens import COURSE_SPECIAL_TOKENS

CHAT_TOKENS = frozenset(COURSE_SPECIAL_TOKENS) - {"<|endoftext|>", "<|pad|>"}
"""The special tokens in a conversation."""


def has_chat_tokens(tokenizer: BPEBase) -> bool:
    """Tell whether the tokenizer has all `CHAT_TOKENS`."""
    return CHAT_TOKENS <= set(tokenizer.special_tokens)


def chat_template() -> bytes:
    """Return the content of chat_template.jinja."""
    # Not a path, because the package may be in a zip.
    return files("g2c.formats").joinpath("chat_template.jinja").read_bytes()


def encode_chat(
    tokenizer: BPEBase,
    messages: Iterable[Mapping[str, Any]],
    *,
    tools: Iterable[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = False,
) -> list[int]:
    """Encode a conversation. Special tokens come only from its structure, never from its text.

    Args:
        tokenizer: a tokenizer with the course's special tokens. Its `encode_ordinary` encodes the contents.
        messages: dictionaries with a "role" and a "content", as in the examples above.
        tools: JSON schemas of the tools that the assistant can call. They come first, one per line.
        add_generation_prompt: True appends <|assistant|>, after which a model writes its answer.

    Raises ValueError, which says where, if the tokenizer lacks a special token, a message has another form, or a
    content contains a lone surrogate.

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
    blocks = []
    for position, message in enumerate(messages):
        try:
            blocks += _blocks(message)
        except (AttributeError, KeyError, TypeError):
            raise ValueError(f"Message {position} is {message!r:.80}, but {_FORM}") from None
    shown = [json.dumps(tool, ensure_ascii=False) for tool in tools or ()]
    if shown:
        blocks.insert(0, ("<|system|>", "\n".join(["Tools:", *shown])))
    ids: list[int] = []
    for token, content in blocks:
        ids.append(tokenizer.special_to_id[token])
        ids.extend(tokenizer.encode_ordinary(f"\n{content}"))
        ids.append(tokenizer.special_to_id["<|end|>"])
    if add_generation_prompt:
        ids.append(tokenizer.special_to_id["<|assistant|>"])
    return ids


_TOKEN_OF_ROLE = {"system": "<|system|>", "user": "<|user|>", "assistant": "<|assistant|>", "tool": "<|tool_result|>"}

_FORM = (
    f"a message must be a dictionary with a role ({', '.join(_TOKEN_OF_ROLE)}) and a content: a str, or a list of "
    'parts {"type": "text", "text": ...}. Its tool_calls are a list of {"function": {"name": ..., "arguments": ...}}.'
)


def _blocks(message: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return (special token, content) for a message's content and each of its tool calls.

    Raises AttributeError, KeyError or TypeError if the message has another form.
    """
    role, content = message["role"], message.get("content")
    calls = (message.get("tool_calls") or []) if role == "assistant" else []
    if content is None and calls:
        content = ""
    if isinstance(content, list):
        if any(part["type"] != "text" for part in content):
            raise TypeError
        content = "".join(part["text"] for part in content)
    if not isinstance(content, str):
        raise TypeError
    # The template also skips an assistant's empty content.
    blocks = [(_TOKEN_OF_ROLE[role], content)] if content or role != "assistant" else []
    for call in calls:
        function = {name: call["function"][name] for name in ("name", "arguments")}
        blocks.append(("<|tool_call|>", json.dumps(function, ensure_ascii=False)))
    return blocks

"""The course's named tokenizers: what each of them is trained on, and how large it is. All have its special tokens.

    ShakespeareTokenizer    the milestone of module 04; everything runs on it
    StoryTokenizer          short stories, for the first language model
    G2CTokenizer            stories and web text, for the chat model

`g2c.corpus.named_tokenizers` trains them. This file needs no engine, so a command that only asks for a name starts at
once.
"""

from dataclasses import dataclass

from g2c.common.errors import CourseError, did_you_mean


@dataclass(frozen=True)
class NamedTokenizer:
    """The recipe of a tokenizer.

    Attributes:
        name: also the name of its folder among the artifacts.
        corpus: a name of `g2c.corpus.corpora.CORPORA`.
        vocab_size: number of tokens: bytes, special tokens and learned merges.
        pattern: as for `BPETokenizer`. None means no pre-tokenization, and `train_exact` on the corpus as one text.
            With a pattern, `train_exact_corpus` trains on the corpus as documents, each of which ends with the ID of
            <|endoftext|> in ids.uint32. It learns the same merges as `train_fast` (the Rust library), and is faster on
            gigabytes.
        fallback: the corpus to use, with a warning, if `corpus` is not in the data folder. None raises an error.
    """

    name: str
    corpus: str
    vocab_size: int
    pattern: str | None
    fallback: str | None = None


NAMED_TOKENIZERS: dict[str, NamedTokenizer] = {
    recipe.name: recipe
    for recipe in (
        NamedTokenizer("ShakespeareTokenizer", "tinyshakespeare", 4096, None, fallback="pydocs"),
        NamedTokenizer("StoryTokenizer", "tinystories", 8192, "gpt4"),
        NamedTokenizer("G2CTokenizer", "g2c", 16384, "gpt4"),
    )
}
"""Name -> recipe."""


def full_name(name: str) -> str:
    """The full name of a recipe: "ShakespeareTokenizer" for both "shakespeare" and "ShakespeareTokenizer".

    Raises:
        CourseError: there is no such tokenizer.
    """
    names = {full.removesuffix("Tokenizer").lower(): full for full in NAMED_TOKENIZERS}
    found = names.get(name.lower().removesuffix("tokenizer"))
    if found is None:
        meant = did_you_mean(name, names)
        raise CourseError(f"There is no tokenizer named {name!r}; the names are {', '.join(names)}.{meant}")
    return found


def artifact_name(name: str) -> str:
    """The full name of a recipe, as from `full_name`; any other name, or a folder, unchanged."""
    try:
        return full_name(name)
    except CourseError:
        return name

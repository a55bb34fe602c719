"""Splits texts by the browser's RegExp, with the interface of `tokenizers` that g2c/tokenizer/patterns.py uses."""

import unicodedata

from js import splitText

from g2c.lab.regexes import translated

BERT_WORDS = r"[!-\/:-@\[-`{-~\p{P}]|[^\p{White_Space}\p{P}!-\/:-@\[-`{-~]+"
"""The words of `BertPreTokenizer`, for JavaScript."""


class Regex:
    """Holds a translated regex. Raises an error if JavaScript does not understand it."""

    def __init__(self, pattern: str) -> None:
        self.source = translated(pattern)
        splitText(self.source, "")


class pre_tokenizers:
    """Split texts, as the library's classes of these names do."""

    class Split:
        def __init__(self, regex: Regex, behavior: str) -> None:
            self.source = regex.source

        def pre_tokenize_str(self, text: str) -> list[tuple[str, None]]:
            return [(piece, None) for piece in splitText(self.source, text).to_py() if piece]

    class BertPreTokenizer:
        """Splits at white space, and makes each punctuation character a word."""

        def pre_tokenize_str(self, text: str) -> list[tuple[str, None]]:
            return [(word, None) for word in splitText(BERT_WORDS, text).to_py()[1::2]]


class normalizers:
    """Change texts before they are split, as the library's classes of these names do."""

    class BertNormalizer:
        """Removes control characters, and puts spaces around Chinese characters (Devlin et al. 2018)."""

        def __init__(self, lowercase: bool) -> None:
            self.lowercase = lowercase

        def normalize_str(self, text: str) -> str:
            text = "".join(map(_for_bert, text))
            if self.lowercase:
                accents = unicodedata.normalize("NFD", text)
                text = "".join(one for one in accents if unicodedata.category(one) != "Mn").lower()
            return text


_HAN = [(0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F), (0x2B740, 0x2B81F)]
_HAN += [(0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F)]


def _for_bert(character: str) -> str:
    code = ord(character)
    if code >= 0x3400 and any(first <= code <= last for first, last in _HAN):
        return f" {character} "
    if character not in "\t\n\r" and (code in (0, 0xFFFD) or unicodedata.category(character)[0] == "C"):
        return ""
    return " " if character.isspace() else character

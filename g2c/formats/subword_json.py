"""WordPiece and Unigram tokenizers as objects of Hugging Face `tokenizers`, whose `save` writes tokenizer.json."""

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from g2c.tokenizer.unigram import UnigramTokenizer
from g2c.tokenizer.wordpiece import BERT_SPECIAL_TOKENS, PREFIX, WordPieceTokenizer

FIRST, LAST = "[CLS]", "[SEP]"


def wordpiece_to_hf(tokenizer: WordPieceTokenizer) -> tokenizers.Tokenizer:
    """Convert a WordPiece tokenizer to a `tokenizers.Tokenizer`.

    It gives the IDs of `tokenizer.encode`, except that it recognizes special tokens in a text. It adds [CLS] and [SEP],
    if the vocabulary has them, unless `add_special_tokens` is False.
    """
    vocab = tokenizer.token_to_id
    library = tokenizers.Tokenizer(
        models.WordPiece(
            vocab,
            unk_token=tokenizer.unk_token,
            continuing_subword_prefix=PREFIX,
            max_input_chars_per_word=tokenizer.max_input_chars_per_word,
        )
    )
    library.normalizer = normalizers.BertNormalizer(lowercase=tokenizer.lowercase)
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    library.decoder = decoders.WordPiece(PREFIX, cleanup=False)
    if FIRST in vocab and LAST in vocab:
        library.post_processor = processors.BertProcessing((LAST, vocab[LAST]), (FIRST, vocab[FIRST]))
    library.add_special_tokens([token for token in vocab if token in (*BERT_SPECIAL_TOKENS, tokenizer.unk_token)])
    return library


def unigram_to_hf(tokenizer: UnigramTokenizer) -> tokenizers.Tokenizer:
    """Convert a Unigram tokenizer to a `tokenizers.Tokenizer`.

    It gives the IDs of `tokenizer.encode`, except that it recognizes the unknown token in a text.
    """
    # The unknown token's score is not used. It is 0, because the library derives others from the lowest score.
    scores = {**tokenizer.scores, tokenizer.unk_token: 0.0}
    library = tokenizers.Tokenizer(models.Unigram(list(scores.items()), tokenizer.token_to_id[tokenizer.unk_token]))
    library.pre_tokenizer, library.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    library.add_special_tokens([tokenizer.unk_token])
    return library

"""The lowest room of this package: used by every other one, it imports nothing else of it.

errors.py           the errors about tokenizers, artifacts and corpora
progress.py         bars in terminals and notebooks
text.py             a corpus, the separator of its documents; a token's bytes in printable form
"""

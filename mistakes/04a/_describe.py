"""How reports show the state of a tokenizer of characters or words."""

from coach.testing.comparison import show


def CharTokenizer(state):
    unknown = f"unknown token {state['unk_token']!r}" if state["unk_token"] is not None else "no unknown token"
    return f"vocabulary {show(state['token_to_id'], 60)}; {unknown}"

"""How reports show the state of a WordPieceTokenizer."""


def WordPieceTokenizer(state):
    tokens = list(state["token_to_id"])
    shown = ", ".join(tokens) if len(tokens) <= 14 else f"{', '.join(tokens[:6])}, ..., {', '.join(tokens[-3:])}"
    limit = state["max_input_chars_per_word"]
    return f"{len(tokens)} tokens: {shown}" + ("" if limit == 100 else f"; at most {limit} characters a word")

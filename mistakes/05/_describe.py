"""How reports show the state of an n-gram model."""

from itertools import islice


def NGramModel(state):
    counts = state["counts"]
    shown = ", ".join(f"{context} -> {following}" for context, following in islice(counts.items(), 3))
    more = f", ... ({len(counts)} contexts in all)" if len(counts) > 3 else ""
    end = "" if state["end_id"] == -1 else f"; a document ends at {state['end_id']}"
    size = f"n = {state['n']}, {state['vocab_size']} tokens, discount {state['discount']:g}{end}"
    return f"{size}; " + (f"counts {shown}{more}" if counts else "no counts")

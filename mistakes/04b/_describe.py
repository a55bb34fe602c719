"""How reports show the state of a WordBPETokenizer."""


def WordBPETokenizer(state):
    merges = state["_merges"]
    shown = ", ".join(f"{left}+{right}" for left, right in merges[:4])
    more = f", ... ({len(merges)} in all)" if len(merges) > 4 else ""
    tokens = len(state["token_to_id"])
    return f"merges {shown}{more}; {tokens} tokens" if merges else f"no merges; {tokens} tokens"

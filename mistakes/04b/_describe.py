"""How reports show the state of a WordBPETokenizer."""


def WordBPETokenizer(state):
    merges = state["merges"]
    shown = ", ".join(f"{left}+{right}" for left, right in merges[:8])
    more = f", ... ({len(merges)} in all)" if len(merges) > 8 else ""
    number = len(state["token_to_id"])
    tokens = f"{number} token" + ("" if number == 1 else "s")
    return f"merges {shown}{more}; {tokens}" if merges else f"no merges; {tokens}"

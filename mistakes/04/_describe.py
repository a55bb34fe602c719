"""How reports show the state of a byte-level BPE tokenizer."""

from itertools import islice

from g2c.tokenizer.patterns import PATTERNS


def BPEBase(state):
    # A tokenizer that was read from a file makes both from its table when they are asked for.
    table = state.get("table")
    merges, vocab = (state[name] if name in state else getattr(table, name, dict)() for name in ("merges", "vocab"))
    shown = ", ".join(f"{_pair(pair, vocab)} -> {new_id}" for pair, new_id in islice(merges.items(), 3))
    more = f", ... ({len(merges)} in all)" if len(merges) > 3 else ""
    special = sorted(state.get("special_to_id", {}).values())
    pattern = next((name for name, regex in PATTERNS.items() if regex == state.get("pattern")), state.get("pattern"))
    return "; ".join(
        (
            f"merges {shown}{more}" if merges else "no merges",
            _special_tokens(special),
            f"pattern {pattern[:20]}" if pattern else "no pattern",
        )
    )


def _special_tokens(ids):
    if len(ids) > 1:
        return f"{len(ids)} special tokens, {ids[0]} to {ids[-1]}"
    return f"1 special token, {ids[0]}" if ids else "no special tokens"


def _pair(pair, vocab):
    try:
        return f"({pair[0]},{pair[1]}) {repr(vocab[pair[0]] + vocab[pair[1]])[1:]}"
    except (KeyError, TypeError, IndexError):
        return str(pair)

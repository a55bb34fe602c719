"""How reports show the state of a UnigramTokenizer."""


def UnigramTokenizer(state):
    scores = [f"{token} {score:.4g}" for token, score in state["_scores"].items()]
    return ", ".join(scores) if len(scores) <= 9 else f"{', '.join(scores[:6])}, ... ({len(scores)} tokens in all)"

"""Every sentence of the Merge view is true of every wrong solution of the bank: it follows from what the code did.

The JavaScript judges what the server has observed; here Python judges the same by the answer key.
"""

import json
from functools import cache
from typing import Any

import pytest

import g2c.tokenizer
from g2c.common.text import token_text
from g2c.course.diagnosis import bank
from g2c.lab.pages import server_page
from g2c.lab.process import answer_to
from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY
from support.labs import answers_of_the_page

STEPS = 7
TEXTS = {"the hen thaws the heath": None, "aaaa aa banana bandana  aab": "gpt2"}
WRONG = {entry.name: entry for entry in bank.entries("04") if entry.exercise.name not in ("encode", "decode")}


@cache
def judged(text: str) -> dict[str, tuple[Any, Any]]:
    """For each solution what the server observes when it trains, and what the page makes of it."""
    asked = {"text": text, "steps": STEPS, "pattern": TEXTS[text]}
    observed = []
    with pytest.MonkeyPatch.context() as patch:
        for solution in [AnswerKey, *(entry.solution()["BPETokenizer"] for entry in WRONG.values())]:
            patch.setattr(g2c.tokenizer, "BPETokenizer", solution)
            observed.append(json.loads(json.dumps(answer_to("train", asked))))
    shown = answers_of_the_page(server_page("nonce"), [("train", [asked])] * len(observed), {"/api/train": observed})
    return dict(zip(["right", *WRONG], zip(observed, shown)))


def is_right(state: dict[str, Any], new_ids: list[int], step: int, counts: dict, vocab: dict[int, bytes]) -> bool:
    """Whether a step did what the answer key does with the same IDs, apart from its choice of a pair."""
    if "stopped" in state or state["changed"]:
        return False
    if state["counts"] != [[*pair, count] for pair, count in counts.items()]:
        return False
    if state["chosen"] is None:
        return True
    left, right, count = state["chosen"]
    stored, new_id = state["stored"], 256 + step
    return (
        count == counts.get((left, right), 0)
        and new_ids == AnswerKey()._merge(state["ids"], (left, right), new_id)
        and stored["merge"] == str(new_id)
        and (stored["merges"], stored["vocab"]) == (step + 1, 257 + step)
        and stored["bytes"] == (vocab.get(left, b"?") + vocab.get(right, b"?")).hex()
    )


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_said_of_each_step_is_true(text):
    for name, (observed, shown) in judged(text).items():
        states = observed["states"]
        assert len(shown["states"]) == len(states), name
        vocab = {byte: bytes([byte]) for byte in range(256)}
        wrong = []
        for step, (state, said) in enumerate(zip(states, shown["states"])):
            if state.get("stored", {}).get("bytes"):
                vocab[256 + step] = bytes.fromhex(state["stored"]["bytes"])
            counts = AnswerKey()._get_pair_counts(state["ids"], barrier_ids={BOUNDARY})
            new_ids = states[step + 1]["ids"] if state["chosen"] else []
            rest_is_right = is_right(state, new_ids, step, counts, vocab)
            assert (said["faults"] == [] and "stopped" not in said) == rest_is_right, (name, step, said["faults"])
            choice_is_right, words = reason(state, step, counts, vocab)
            assert all(word in said["why"] for word in words), (name, step, said["why"], words)
            if not (rest_is_right and choice_is_right):
                wrong.append(step)
        assert shown["wrong"] == (wrong[0] if wrong else None), name


def reason(state: dict[str, Any], step: int, counts: dict, vocab: dict[int, bytes]) -> tuple[bool, list[str]]:
    """Whether the pair that was chosen is right, and the parts of a true sentence on it."""
    if "stopped" in state:
        return False, ["Training cannot go on."]
    if step == STEPS:
        return True, ["The lab shows no more steps."]
    best = max(counts, key=counts.get) if counts else None
    chose = tuple(state["chosen"][:2]) if state["chosen"] else None
    if chose == best is None:
        return True, ["No pair is left, so training ends."]
    if chose == best:
        has_tie = [*counts.values()].count(counts[best]) > 1
        return True, [f"The pair occurs {counts[best]} time", "and was seen first." if has_tie else "than any other."]

    def shown(pair):
        return " + ".join(token_text(vocab[each]) if each in vocab else f"?{each}" for each in pair)

    came = f"chose {shown(chose)}, which" if chose else "returned None, which ends training"
    return False, [f"Your train_step {came}", f"should have {f'chosen {shown(best)}' if best else 'returned None'}"]


def test_nearly_every_wrong_solution_of_the_bank_is_seen_to_be_wrong():
    """The others need special tokens, an ID of 0, or a list that is long."""
    unseen = {name for name in WRONG if all(judged(text)[name][1]["wrong"] is None for text in TEXTS)}
    assert len(WRONG) > 90 and len(unseen) < 20, sorted(unseen)


SENTENCES = {
    "step_ties_last_seen": "Your train_step chose h + e, which occurs 4 times. It should have chosen t + h, "
    "which occurs as often and was seen first.",
    "count_from_one": "Your train_step returned the count 5 for t + h, which occurs 4 times.",
    "count_sorted_pairs_2": "Your _get_pair_counts leaves out t + h; the pair occurs 4 times.",
    "merge_first_only": "does not replace t + h with 256 as it should: token 8 is t (ID 116), not th (ID 256).",
    "step_swaps_the_bytes": "vocab has b'ht' for 256, which are not the bytes of t + h.",
    "step_results_in_another_order": "train_step does not return what its docstring says.",
    "step_ids_as_bytes": "Your code raised an error.",
    "step_needs_two_2": "Your train_step returned None, which ends training. It should have chosen",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_the_first_step_that_is_wrong_says_what_came_and_what_is_right(name):
    _, shown = judged("the hen thaws the heath")[name]
    state = shown["states"][shown["wrong"]]
    said = [state["why"], *state["faults"], state.get("stopped", {}).get("title", "")]
    assert any(SENTENCES[name] in sentence for sentence in said), said

"""Checks and hints for the answers in notebook 04c. coach/notebook_answers.py says how they are written."""

import numpy as np

from coach.notebook_answers import answer, in_place_of
from coach.teaching import call, check
from g2c.tokenizer import BPETokenizer


@answer(
    hints=[
        'One message is f"<|{role}|>", a newline, its content, and <|end|>.',
        'message["role"] and message["content"] are the two parts. "".join(...) puts messages together, with '
        "nothing between.",
    ],
    wrong=[
        "return \"\".join(f\"<|{message['role']}|>{message['content']}<|end|>\" for message in messages)",
        "return \"\\n\".join(f\"<|{message['role']}|>\\n{message['content']}<|end|>\" for message in messages)",
        "return f\"<|{messages[0]['role']}|>\\n{messages[0]['content']}<|end|>\"",
        "return \"\".join(f\"<|{message['role']}|>\\n{message['content'].strip()}<|end|>\" for message in messages)",
    ],
)
def as_text(function):
    messages = [{"role": "user", "content": " Who?"}, {"role": "assistant", "content": "I.\n"}]
    expected = "<|user|>\n Who?<|end|><|assistant|>\nI.\n<|end|>"
    idea = "A newline after the role, the content as it is, and nothing between two messages."
    check(call(function, messages), expected, idea=idea)
    check(call(function, []), "", idea="A conversation without messages is empty.")


@answer(
    hints=[
        "Three parts of a message: the ID of <|role|>, the IDs of the text, the ID of <|end|>. The role is in "
        "the message.",
        "ids.append adds one ID, ids.extend several. The text is the newline and the content, through "
        "encode_ordinary_fast.",
    ],
    wrong=[
        "ids.extend(tokenizer.encode_fast(f\"<|{message['role']}|>\\n{message['content']}<|end|>\"))",
        """
        ids.append(tokenizer.special_to_id[f"<|{message['role']}|>"])
        ids.extend(tokenizer.encode_ordinary_fast(message["content"]))
        ids.append(tokenizer.special_to_id["<|end|>"])
        """,
        """
        ids.append(tokenizer.special_to_id[f"<|{message['role']}|>"])
        ids.extend(tokenizer.encode_ordinary_fast("\\n" + message["content"]))
        """,
        """
        ids.append(tokenizer.special_to_id["<|user|>"])
        ids.extend(tokenizer.encode_ordinary_fast("\\n" + message["content"]))
        ids.append(tokenizer.special_to_id["<|end|>"])
        """,
        """
        ids.extend([tokenizer.special_to_id[f"<|{message['role']}|>"], *tokenizer.encode_ordinary_fast("\\n")])
        ids.extend(tokenizer.encode_ordinary_fast(message["content"]))
        ids.append(tokenizer.special_to_id["<|end|>"])
        """,
        """
        ids.append(tokenizer.special_to_id[f"<|{message['role']}|>"])
        ids.extend(tokenizer.encode_ordinary_fast("\\n" + message["content"].strip()))
        ids.append(tokenizer.special_to_id["<|end|>"])
        """,
        """
        encode = tokenizer.encode_ordinary_fast if message["role"] == "user" else tokenizer.encode_fast
        ids.append(tokenizer.special_to_id[f"<|{message['role']}|>"])
        ids.extend(encode("\\n" + message["content"]))
        ids.append(tokenizer.special_to_id["<|end|>"])
        """,
    ],
)
def conversation_ids(function):
    tokenizer = BPETokenizer.with_course_special_tokens()
    tokenizer.train_exact("\nA\nA", 265, progress=False)
    with in_place_of(function, tokenizer=tokenizer):
        messages = [{"role": "system", "content": "Ay"}, {"role": "user", "content": "No<|end|>"}]
        expected = [257, 264, 121, 262, 258, 10, *b"No<|end|>", 262]
        idea = "The user's <|end|> is seven characters. This tokenizer has one merge: the newline and A are 264."
        check(call(function, messages), expected, idea=idea)
        messages = [{"role": "assistant", "content": " <|end|>"}]
        idea = "Everyone's content is encoded as it is: the space stays, and <|end|> is text in any message."
        check(call(function, messages), [259, *b"\n <|end|>", 262], idea=idea)


@answer(
    hints=[
        "The text above names the call that loads the artifact, or creates it if it is not there.",
        "load_milestone takes NAME and progress=False. Return what it returns.",
    ],
    wrong=[
        "load_milestone(NAME, progress=False)",
        "return load_milestone(NAME, progress=False).tokenizer",
        "return NAME",
    ],
)
def artifact(function):
    outcome = call(function)
    idea = "An artifact has the tokenizer, the IDs and the manifest; load_milestone returns one."
    check(outcome.seen_as(lambda found: found.path.name, "its name"), "ShakespeareTokenizer", idea=idea)


@answer(
    hints=[
        "How many IDs can be inputs, if the last one is only a target?",
        "One ID fewer, divided by the length of a window, then by the windows of a batch. // rounds down; do it "
        "each time.",
    ],
    wrong=[
        "return number_of_ids // block_size // batch_size",
        "return (number_of_ids - 1) / block_size / batch_size",
        "return -(-(number_of_ids - 1) // (block_size * batch_size))",
    ],
)
def batches_in_an_epoch(function):
    idea = "The last ID is only a target: 40 are left, which is 4 windows of 10 and 2 batches of 2."
    check(call(function, 41, 2, 10), 2, idea=idea)
    idea = "39 inputs make 3 full windows, which make 1 full batch."
    check(call(function, 40, 2, 10), 1, idea=idea)


@answer(
    hints=[
        "loss_mask(ids, ASSISTANT, END) has a 1 for each target that stays. The targets are ids[1:].",
        "np.where(mask, targets, -100) takes the target where the mask is 1, and -100 where it is 0.",
    ],
    wrong=[
        "return np.where(loss_mask(ids, ASSISTANT, END), ids[:-1], -100)",
        "return np.where(loss_mask(ids, ASSISTANT, END), -100, ids[1:])",
        "return loss_mask(ids, ASSISTANT, END) * ids[1:]",
        "return np.array(ids[1:])[loss_mask(ids, ASSISTANT, END) == 1]",
        "return np.where(loss_mask(ids, ASSISTANT, 263), ids[1:], -100)",
    ],
)
def targets_of(function):
    with in_place_of(function, ASSISTANT=259, END=262):
        idea = "The assistant writes 10, 79 and 262. Each other target becomes -100, and keeps its place."
        expected = np.array([*[-100] * 4, 10, 79, 262, -100, -100])
        check(call(function, [258, 10, 72, 262, 259, 10, 79, 262, 258, 262]), expected, idea=idea)


@answer(
    hints=[
        "targets == -100 is an array of True and False. What is its mean?",
        "(targets == -100).mean() is the share; float makes it a Python number.",
    ],
    wrong=[
        "return (targets == -100).sum()",
        "return float((targets != -100).mean())",
        "return float((targets == -100).any(axis=1).mean())",
    ],
)
def share_of_padding(function):
    idea = "Three of eight targets are -100."
    check(call(function, np.array([[5, 6, 7, -100], [8, 9, -100, -100]])), 3 / 8, idea=idea)


@answer(
    hints=[
        "The mask of a row is 0 0 1 1 1. cumsum gives 0 0 1 2 3. Which positions are wanted?",
        "Subtract 1. Then padding has -1: np.where(attention_mask, positions, 0) puts 0 there.",
    ],
    wrong=[
        "return attention_mask.cumsum(axis=1)",
        "return attention_mask.cumsum(axis=1) - 1",
        "return np.arange(attention_mask.shape[1]) * attention_mask",
        "return np.where(attention_mask, attention_mask.cumsum() - 1, 0)",
        "return np.where(attention_mask, attention_mask.cumsum(axis=0) - 1, 0)",
        "attention_mask[:] = np.maximum(attention_mask.cumsum(axis=1) - 1, 0)\nreturn attention_mask",
    ],
)
def position_ids(function):
    mask = np.array([[0, 0, 1, 1, 1], [1, 1, 1, 1, 1], [0, 0, 0, 0, 1]])
    idea = "In each row, the real tokens have the positions 0, 1, 2 and so on."
    before, outcome = mask.copy(), call(function, mask)
    check(outcome, np.array([[0, 0, 0, 1, 2], [0, 1, 2, 3, 4], [0, 0, 0, 0, 0]]), idea=idea)
    check(outcome.argument(), before, idea="The mask belongs to the caller: the positions are another array.")

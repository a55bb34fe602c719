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
    ],
)
def as_text(function):
    messages = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "I."}]
    expected = "<|user|>\nWho?<|end|><|assistant|>\nI.<|end|>"
    idea = "A newline after the role, and nothing between two messages."
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
    ],
)
def conversation_ids(function):
    tokenizer = BPETokenizer.with_course_special_tokens()
    with in_place_of(function, tokenizer=tokenizer):
        messages = [{"role": "system", "content": "Ay"}, {"role": "user", "content": "No<|end|>"}]
        expected = [257, 10, 65, 121, 262, 258, 10, *b"No<|end|>", 262]
        idea = "Only the program's own control tokens have an ID of theirs; the user's <|end|> is nine characters."
        check(call(function, messages), expected, idea=idea)


@answer(
    hints=[
        "Make the batch with pad_batch, and count twice: the ones in its mask, and all entries of the mask.",
        "pad_batch(batch, PAD, max_length=256, multiple_of=multiple_of) returns the IDs and the mask. Add to "
        "real and entries.",
    ],
    wrong=[
        """
        _, mask = pad_batch(batch, PAD, max_length=256)
        real += mask.sum()
        entries += mask.size
        """,
        """
        _, mask = pad_batch(batch, PAD, multiple_of=multiple_of)
        real += mask.sum()
        entries += mask.size
        """,
        """
        _, mask = pad_batch(batch, PAD, max_length=256, multiple_of=multiple_of)
        real = mask.sum()
        entries = mask.size
        """,
        """
        _, mask = pad_batch(batch, PAD, max_length=256, multiple_of=multiple_of)
        entries += mask.sum()
        real += mask.size
        """,
    ],
)
def share_of_padding(function):
    with in_place_of(function, PAD=0):
        idea = "Two batches, with 4 and 2 entries. One of these six is padding."
        check(call(function, [[1, 2], [3], [4, 5]], 2), 1 / 6, idea=idea)
        idea = "Each row is filled up to four entries: 12, of which 5 are real."
        check(call(function, [[1, 2], [3], [4, 5]], 2, multiple_of=4), 7 / 12, idea=idea)
        idea = "A sequence is truncated to 256 tokens, so 256 + 1 of 512 entries are real."
        check(call(function, [[1] * 300, [2]], 2), 255 / 512, idea=idea)


@answer(
    hints=[
        "A mask with n ones in a row: the real tokens are in the columns 0 to n - 1.",
        "attention_mask.sum(axis=1) counts the ones of each row; one less is the column. The question shows how "
        "to take it.",
    ],
    wrong=[
        "return ids[:, -1]",
        "return ids[np.arange(len(ids)), attention_mask.sum(axis=1) - 2]",
        "return ids[:, attention_mask.sum(axis=1) - 1]",
        "return ids.max(axis=1)",
    ],
)
def last_real_ids(function):
    ids = np.array([[9, 6, 0, 0], [7, 0, 0, 0], [8, 2, 3, 1]])
    mask = np.array([[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]])
    idea = "The rows have two, one and four real IDs; the last of each is wanted."
    check(call(function, ids, mask).seen_as(lambda array: array.tolist(), "the result"), [6, 7, 1], idea=idea)


@answer(
    hints=[
        "The text above names the call: it loads the artifact, and trains it if it is not there.",
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
    idea = "39 inputs are 3 full windows, and these 1 full batch."
    check(call(function, 40, 2, 10), 1, idea=idea)

"""What the cells of a notebook have printed and shown."""

import re

from nbformat import NotebookNode


def output_texts(output: NotebookNode) -> list[str]:
    """Everything in an output of a notebook cell but its pictures."""
    texts = [text for kind, text in output.get("data", {}).items() if kind.startswith("text/")]
    return [output.get("text", ""), *(re.sub(r'src="data:[^"]*"', "", text) for text in texts)]

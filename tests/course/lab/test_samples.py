"""The view Compare and notebook 04d show the same samples, so that their numbers can be compared."""

import ast
import json
import re

from g2c.common.paths import REPOSITORY


def samples_of_the_page() -> dict[str, str]:
    script = (REPOSITORY / "g2c/lab/page/views.js").read_text(encoding="utf-8")
    body = re.search(r"^const SAMPLES = \{\n(.*?)^\};", script, flags=re.DOTALL | re.MULTILINE)[1]
    lines = [re.fullmatch(r'  (\w+): (".*"),', line) for line in body.splitlines()]
    assert all(lines), f"a sample of views.js is not on a line of its own:\n{body}"
    return {line[1]: json.loads(line[2]) for line in lines}


def samples_of(notebook: str) -> dict[str, str]:
    cells = json.loads((REPOSITORY / notebook).read_text(encoding="utf-8"))["cells"]
    [cell] = [cell for cell in cells if "".join(cell["source"]).startswith("SAMPLES = {")]
    assignment = ast.parse("".join(cell["source"])).body[0]
    return ast.literal_eval(assignment.value)


def test_the_samples_are_those_of_notebook_04d_in_the_same_order():
    shown = list(samples_of_the_page().items())
    for notebook in ("notebooks/04d-real-tokenizers.ipynb", "notebooks/solutions/04d-real-tokenizers.ipynb"):
        assert shown == list(samples_of(notebook).items()), f"views.js and {notebook} have different samples"

"""The Compare view and notebook 04d show the same samples, so that their numbers can be compared."""

import ast
import json
import re

from g2c.common.paths import REPOSITORY


def test_the_samples_are_those_of_notebook_04d_in_the_same_order():
    script = (REPOSITORY / "g2c/lab/page/views.js").read_text(encoding="utf-8")
    body = re.search(r"^const SAMPLES = \{\n(.*?)^\};", script, flags=re.DOTALL | re.MULTILINE)[1]
    lines = [re.fullmatch(r'  (\w+): (".*"),', line) for line in body.splitlines()]
    assert all(lines), f"a sample of views.js is not on a line of its own:\n{body}"
    shown = [(line[1], json.loads(line[2])) for line in lines]
    for notebook in ("notebooks/04d-real-tokenizers.ipynb", "notebooks/solutions/04d-real-tokenizers.ipynb"):
        cells = json.loads((REPOSITORY / notebook).read_text(encoding="utf-8"))["cells"]
        [source] = [text for cell in cells if (text := "".join(cell["source"])).startswith("SAMPLES = {")]
        samples = ast.literal_eval(ast.parse(source).body[0].value)
        assert shown == list(samples.items()), f"views.js and {notebook} have different samples"

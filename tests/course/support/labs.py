"""The modules of the lab's page in Node.js, without a browser."""

import json
import subprocess
from typing import Any

from g2c.lab.pages import FOLDER, REGEXES, table_of
from g2c.tokenizer.base import BPEBase
from support.browsers import node

ASK = """
import { readFileSync } from "node:fs";
const [folder, tokenizers, patterns, questions] = JSON.parse(readFileSync(0, "utf8"));
const source = (await import(`${folder}/tokenizer.js`)).sourceOf({ tokenizers, patterns });
process.stdout.write(JSON.stringify(questions.map(([question, details]) => source[question](...details))));
"""


def shown(**tokenizers: BPEBase) -> list[dict[str, Any]]:
    """Tokenizers as `page_of` takes them."""
    return [{"name": name, "title": name, "table": table_of(one), "corpus": None} for name, one in tokenizers.items()]


def answers_of_the_page(tokenizers: list[dict[str, Any]], questions: list[tuple[str, list[Any]]]) -> list[Any]:
    """What the page computes: for each (function of `sourceOf`, arguments), its result."""
    return in_node(ASK, [FOLDER.as_uri(), tokenizers, REGEXES, questions])


def in_node(script: str, given: Any) -> Any:
    """What a module writes to its standard output, in JSON, when its standard input has `given`."""
    command = [node(), "--input-type=module", "-e", script]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def data_of(page: str) -> dict[str, Any]:
    return json.loads(page.partition('id="data">')[2].partition("</script>")[0])

"""`g2c lab` running in a copy of the course, and what it answers; and what the JavaScript of a page computes."""

import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from g2c.course.exercises import modules
from support.browsers import node
from support.clones import Clone, copy_course, write_answers


def lab_course(template: Path, folder: Path, *, answered: bool) -> Clone:
    """A copy of the course with the modules whose code the lab runs, and their answers if it is `answered`."""
    clone = copy_course(template, folder / "clone", module_ids=["04", "05", "04f", "04g"])
    if answered:
        write_answers(clone, [exercise for name in ("04", "05", "04g") for exercise in modules()[name].exercises])
    return clone


class RunningLab:
    """A lab in a copy of the course. Use it in a `with` block, which ends it."""

    def __init__(self, clone: Clone, **variables: str) -> None:
        self.clone = clone
        self.process = subprocess.Popen(
            [sys.executable, "-m", "g2c", "lab", "--no-browser"],
            cwd=clone.folder,
            env={**clone.environment, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        address = re.search(r"http\S+", line)
        assert address, f"g2c lab printed {line!r}"
        self.url = address[0]
        self.port = urlsplit(self.url).port
        self.token = parse_qs(urlsplit(self.url).query)["token"][0]

    def __enter__(self) -> "RunningLab":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGINT)
        _, errors = self.process.communicate()
        assert "Traceback" not in errors, errors

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, str]:
        """The status and the text of an answer; its headers are kept. Headers are given with _ for -."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host="Host" in headers)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            response = connection.getresponse()
            self.headers = response.headers
            with contextlib.suppress(ConnectionError):  # The server need not read the rest of a body.
                return response.status, response.read().decode()
            return response.status, ""
        finally:
            connection.close()

    def ask(self, question: str, **details: Any) -> Any:
        """The answer to a question of the page."""
        status, text = self.request("POST", f"/api/{question}", json.dumps(details).encode(), Cookie=self.cookie)
        assert status == 200, text
        return json.loads(text)

    @property
    def cookie(self) -> str:
        """What a browser sends after it has opened the address that the lab prints."""
        return f"g2c-lab-{self.port}={self.token}"


def data_of(page: str) -> dict[str, Any]:
    return json.loads(page.partition('id="data">')[2].partition("</script>")[0])


# What the scripts ask of a browser before they show anything.
BROWSER = """
const [code, input] = require("fs").readFileSync(0, "utf8").split("\\0");
const { data, questions, server } = JSON.parse(input);
const answer = (address) => (Array.isArray(server[address]) ? server[address].shift() : server[address]);
const fetch = async (address) => ({ ok: true, json: async () => answer(address) });
const svg = { firstChild: {} };
const document = {
  getElementById: () => ({ textContent: JSON.stringify(data) }),
  createRange: () => ({ createContextualFragment: () => svg }),
};
const ask = `
(async () => {
  const answers = [];
  for (const [question, details] of questions) {
    try {
      answers.push(await source[question](...details));
    } catch (problem) {
      answers.push({ problem: problem.message });
    }
  }
  process.stdout.write(JSON.stringify(answers));
})()`;
new Function("document", "questions", "fetch", code + ask)(document, questions, fetch);
"""


def answers_of_the_page(page: str, questions: list[tuple[str, Any]], server: dict[str, Any] | None = None) -> list[Any]:
    """What a page computes: for each (function of its `source`, arguments), its result.

    `server` has what the server of `g2c lab` answers to each address; a list has one answer after the other.
    """
    scripts = page.partition('"use strict";')[2].partition("// The views.")[0]
    asked = json.dumps({"data": data_of(page), "questions": questions, "server": server})
    done = subprocess.run([node(), "-e", BROWSER], input=f"{scripts}\0{asked}", capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)

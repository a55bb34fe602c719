"""The page in a browser, behind Python's own server, below a path: a newcomer's way, hostile code, a full storage."""

import contextlib
import functools
import http.server
import re
import socket
import threading
from pathlib import Path

import pytest

from g2c.commands import main
from support.browsers import chromium, firefox, opened_page, wait_until
from support.exercise_files import MODULE, STUB, solved, with_body
from support.page_workers import page_folder

pytestmark = pytest.mark.whole


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(scope="module")
def address():
    page = page_folder()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(page.parent)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/{page.name}/"
    server.shutdown()


@pytest.fixture(scope="module")
def page(browser, address):
    """A page for most tests, because Python takes seconds to load. None of them needs a certain text in the editor."""
    with contextlib.closing(browser.new_context()) as context:
        yield opened_page(context, address)


TESTED = "document.getElementById('status').textContent.startsWith('Tested') && document.getElementById('stop').hidden"


def text_of(page) -> str:
    return page.evaluate("ace.edit('editor').getValue()")


def report_of(page, text=None) -> str:
    """The report after the tests have run, of another text if there is one."""
    if text is not None and text != text_of(page):
        page.evaluate("document.getElementById('status').textContent = ''")
        page.evaluate("text => ace.edit('editor').session.doc.setValue(text)", text)
    page.wait_for_function(f"() => {TESTED}")
    return page.locator("#report").inner_text()


def counting(body: str) -> str:
    """The exercise file with this code for its first exercise."""
    return with_body(STUB, "_get_pair_counts", "\n".join(f"        {line}" for line in body.splitlines()))


def train_less(route) -> None:
    """Answer with course.js, for one merge, because more of them take long."""
    script = route.fetch().text()
    route.fulfill(body=script.replace("SIZE = 512", "SIZE = 265"), content_type="text/javascript")


def test_a_newcomers_way_ends_with_a_file_that_is_graded_100(browser, address, tmp_path, monkeypatch):
    context, asked = browser.new_context(accept_downloads=True), []
    context.on("request", lambda request: asked.append(request.url))
    context.route(re.compile(r"/course\.js\?"), train_less)
    page = opened_page(context, address)
    assert page.inner_text("#status") == "Python is loading. You can already type."
    assert "Next: write _get_pair_counts" in report_of(page)
    # By keyboard: to the TODO of the report, and over it.
    page.click("text=Go to line")
    page.evaluate("document.getElementById('status').textContent = ''")
    page.keyboard.press("Shift+End")
    page.keyboard.type("return dict.fromkeys(zip(ids, ids[1:]), 1)")
    report = report_of(page)
    assert "each pair is counted only once. Add 1 to the count that the pair already has." in report
    assert page.locator(".ace_gutter").count() == 1
    page.click("text=the section on this mistake")
    handout = page.frame_locator("#exercise iframe")
    handout.locator("h3", has_text="One pair too many").wait_for()
    report_of(page, f"{text_of(page)}\n")
    assert handout.locator("h3", has_text="One pair too many").is_visible(), "it stays while the student writes"
    page.click("text=Back to the exercise")
    page.click("text=A hint")
    assert "Hint 1 of 3" in page.locator("#exercise").inner_text()

    assert "_get_pair_counts now passes" in report_of(page, solved("_get_pair_counts"))
    assert re.match(r"✓ _get_pair_counts (\d+) of \1\b", page.locator("#progress .passed").all_inner_texts()[0])
    assert page.locator("#progress li").count() == len(MODULE.exercises) + 1
    report = report_of(page, solved())
    assert "All tests of module 04 that can run in a page pass." in report
    assert "Not tested here, but by an installation of the course: TestDecode::test_ids_in_an_array, Te" in report
    assert "in an installation, train your tokenizer on Shakespeare's plays: g2c train shakespeare" in report
    page.click("text=Train on")
    page.locator("#training", has_text="Your tokenizer has 265 tokens").wait_for()
    report_of(page, f"{solved()}\n")
    assert page.locator("text=Download tokenizer.json").count() == 1, "it stays while the code is tested again"
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert text_of(page) == f"{solved()}\n"
    assert len(page.locator("#versions option").all()) == 8
    with page.expect_download() as download:
        page.click("#download")
    folder = tmp_path / "submissions" / "ada"
    folder.mkdir(parents=True)
    download.value.save_as(folder / download.value.suggested_filename)
    monkeypatch.chdir(tmp_path)
    assert main(["grade", "submissions", "--trust"]) == 0
    assert "\nada,100.0,100.0,100.0," in Path("grades/grades.csv").read_text(encoding="utf-8")
    assert page.errors == [] and [url for url in asked if not url.startswith((address, "blob:", "data:"))] == []
    context.close()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("import itertools\nreturn sum(itertools.count())", "a call never returns. One of Python's own functions"),
        ("import os\nos._exit(0)", "the whole program ended, with exit code 0, in _get_pair_counts"),
        ("return (", "is not valid Python"),
    ],
)
def test_code_that_would_end_or_fill_a_program_gets_a_sentence_and_the_page_lives(body, said, page):
    """After each of them the same page tests the next, and shows the views of the next test."""
    assert said in report_of(page, counting(body))
    assert page.errors == []


def test_the_views_show_what_the_code_in_the_page_does(page):
    report_of(page, counting("return dict.fromkeys(zip(ids, ids[1:]), 1)"))
    page.click("#merge")
    lab = page.locator("#lab")
    lab.locator("text=_merge is not written yet").first.wait_for()
    report_of(page, solved().replace("max(", "min("))
    lab.locator("text=Your train_step merges:").wait_for()
    lab.locator("text=Next").first.click()
    lab.locator("text=Your code's merges so far: 1").wait_for()
    page.click("#encode")
    lab.locator("text=Step 0 of").wait_for()
    lab.locator("input[type=range]").evaluate(
        "(slider) => { slider.value = 99; slider.dispatchEvent(new Event('input')); }"
    )
    lab.locator("text=Your encode returns the same tokens").wait_for()
    report_of(page, solved().replace("def encode(", "def encode(self, text):\n        return [9]\n\n    def encode_("))
    lab.locator("text=Your encode returns other tokens").wait_for()
    assert page.errors == []


def test_the_page_works_in_firefox_too(address):
    with firefox() as (open_address, run):
        open_address(address)
        wait_until(run, TESTED)
        assert "Next: write _get_pair_counts" in run("return document.getElementById('report').innerText")
        run("document.getElementById('merge').click()")
        wait_until(run, "document.querySelector('#lab > div')?.shadowRoot.querySelector('table')")


REACHING = """import js
from pyodide.http import open_url
for reach in (
    lambda: js.fetch("http://HOST/fetched"),
    lambda: open_url("http://HOST/opened"),
    lambda: js.WebSocket.new("ws://HOST/"),
    lambda: js.EventSource.new("http://HOST/events"),
    lambda: js.eval("import('http://HOST/imported.js')"),
    lambda: js.Worker.new("http://HOST/worker.js"),
):
    try:
        reach()
    except Exception:
        pass
return dict.fromkeys(zip(ids, ids[1:]), 1)"""


def test_an_opened_file_reaches_no_other_host(page):
    report_of(page, STUB)
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        text = counting(REACHING.replace("HOST", f"127.0.0.1:{elsewhere.getsockname()[1]}"))
        page.evaluate("document.getElementById('status').textContent = ''")
        page.set_input_files("#chosen", {"name": "ada.py", "mimeType": "text/x-python", "buffer": text.encode()})
        assert "each pair is counted only once" in report_of(page) and text_of(page) == text
        elsewhere.settimeout(1)
        with pytest.raises(TimeoutError):
            elsewhere.accept()


PLACE_OF_TODO = """() => {
    const { session, renderer } = ace.edit("editor");
    const row = session.doc.getAllLines().findIndex((line) => line.includes("TODO: _get_pair_counts"));
    const { top } = document.getElementById("editor").getBoundingClientRect();
    return renderer.textToScreenCoordinates(row, 0).pageY - top;
}"""


@pytest.mark.parametrize("width", [390, 1440])
def test_todo_and_report_are_in_view_and_no_part_is_wider_than_the_screen(width, page):
    page.set_viewport_size({"width": width, "height": 844})
    page.select_option("#versions", "start")
    page.select_option("#module", "04a")
    page.select_option("#module", "04")
    assert "Next: write _get_pair_counts" in report_of(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    # The panel shows the docstring, which is folded in the editor.
    assert "Count how often each pair" in page.locator("#exercise").inner_text()
    page.evaluate("document.getElementById('editor').scrollIntoView()")
    assert 0 < page.evaluate(PLACE_OF_TODO) < page.locator("#editor").bounding_box()["height"]
    report = page.locator("#report h2").bounding_box()
    assert 0 < report["y"] < 844 - report["height"]


def test_another_exercise_is_shown_from_its_beginning_beside_its_function(page):
    page.select_option("#module", "04a")
    page.evaluate("document.getElementById('exercise').scrollTop = 99")
    page.select_option("#exercise select", label="WordTokenizer._split")
    assert page.evaluate("document.getElementById('exercise').scrollTop") == 0
    before = page.evaluate("(editor => editor.session.getLines(0, editor.getCursorPosition().row))(ace.edit('editor'))")
    assert [line for line in before if line.startswith("class ")][-1] == "class WordTokenizer(CharTokenizer):"
    assert "def _split(" in before[-1]
    page.select_option("#module", "04")


def test_a_full_storage_is_said_at_once(page):
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }; }")
    page.evaluate("ace.edit('editor').session.doc.setValue('# more')")
    assert "the browser's storage for this site is full" in page.locator("#notices").inner_text()

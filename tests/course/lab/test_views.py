"""The views in a browser: with code that is missing, wrong, right and endless, by keyboard, and on a narrow screen.

Without a browser, test_server.py and test_export_page.py test the answers that the views show.
"""

import pytest

from g2c.course.exercises import modules
from g2c.lab.questions import VIEWS
from support.browsers import chromium
from support.clones import Clone, copy_course, write_answers
from support.labs import RunningLab

pytestmark = pytest.mark.whole

EXERCISE_FILE = "g2c/tokenizer/bpe.py"
COUNT = '        raise NotImplementedError("TODO: _get_pair_counts")\n'
AROUND = "        return {(ids[i], ids[(i + 1) % len(ids)]): 1 for i in range(len(ids))}\n"
ENDLESS = "        while True:\n            pass\n"
UNIGRAM_FILE = "g2c/tokenizer/unigram.py"
BEST_PATH = '        raise NotImplementedError("TODO: best_path")\n'
SECONDS = 90_000
"""Milliseconds that a busy machine may take for something to appear."""


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


def course(template, folder) -> Clone:
    return copy_course(template, folder / "clone", module_ids=["04", "04f", "04g"])


@pytest.fixture
def clone(browser, course_template, tmp_path) -> Clone:
    """A copy of the course that the test may change."""
    return course(course_template, tmp_path)


@pytest.fixture(scope="module")
def lab(browser, course_template, tmp_path_factory):
    """A lab on right code."""
    with RunningLab(right(course(course_template, tmp_path_factory.mktemp("lab")))) as running:
        yield running


def opened(browser, lab: RunningLab, address: str, **context):
    page = browser.new_context(**context).new_page()
    page.set_default_timeout(SECONDS)
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(f"http://127.0.0.1:{lab.port}{address}{'&' if '?' in address else '?'}token={lab.token}")
    page.wait_for_selector("html[data-ready]")
    return page


def right(clone: Clone, *, without: str = "") -> Clone:
    exercises = [*modules()["04"].exercises, *modules()["04g"].exercises]
    write_answers(clone, [exercise for exercise in exercises if exercise.name != without])
    return clone


def test_every_view_works_on_untouched_files_and_says_what_is_not_written_yet(clone, browser):
    with RunningLab(clone) as lab:
        for view in VIEWS:
            page = opened(browser, lab, f"/{view}")
            page.wait_for_selector(".token, .edge, table")
            assert page.locator(".problem").count() == 0, view
            missing = "segmentation_loss" if view == "lattice" else "_get_pair_counts"
            notes = " ".join(page.locator("main .note").all_inner_texts())
            assert (f"{missing} is not written yet" in notes) == (view != "trouble"), view
            assert "./datasets.sh gpt2 cl100k bert" in notes or view not in ("type", "compare", "trouble")
            assert page.errors == []
        for view, missing in (
            ("merge", "BPETokenizer._get_pair_counts"),
            ("lattice", "UnigramTokenizer.segmentation_loss"),
        ):
            page = opened(browser, lab, f"/{view}")
            page.wait_for_selector(".report")
            report = page.locator(".report").inner_text()
            assert f"Next: write {missing}" in report, "the report of the tests"


def test_a_wrong_exercise_shows_the_report_of_the_tests_and_a_save_fixes_it(clone, browser):
    clone.replace(EXERCISE_FILE, COUNT, AROUND)
    with RunningLab(clone) as lab:
        page = opened(browser, lab, "/merge?text=the+the")
        page.wait_for_selector(".report")
        report = page.locator(".report").inner_text()
        assert "_get_pair_counts does not pass its tests." in report
        assert "Came back:" in report and "Expected:" in report
        clone.replace(EXERCISE_FILE, AROUND, COUNT)
        right(clone)
        page.wait_for_selector("text=The text as bytes")
        page.wait_for_selector(".report", state="detached")
        assert page.errors == []


def test_a_wrong_best_path_is_reported_and_a_save_fixes_the_lattice(clone, browser):
    right(clone, without="best_path").replace(UNIGRAM_FILE, BEST_PATH, "        return list(text)\n")
    with RunningLab(clone) as lab:
        page = opened(browser, lab, "/lattice?text=hugs")
        assert "h -3 + u -3 + g -3 + s -2 = -11" in page.locator(".lattice + p").inner_text()
        page.wait_for_selector(".report")
        assert "best_path does not pass its tests." in page.locator(".report").inner_text()
        clone.replace(UNIGRAM_FILE, "        return list(text)\n", "        return list(text)[1:]\n")
        page.wait_for_selector("text=is not a path from the first position to the last")
        clone.replace(UNIGRAM_FILE, "        return list(text)[1:]\n", ENDLESS)
        page.wait_for_selector("text=best_path was stopped")
        page.click("nav >> text=Merge")
        page.wait_for_selector("text=The text as bytes")
        clone.replace(UNIGRAM_FILE, ENDLESS, BEST_PATH)
        write_answers(clone, [exercise for exercise in modules()["04g"].exercises if exercise.name == "best_path"])
        page.click("nav >> text=Lattice")
        page.wait_for_selector("text=hug -4 + s -2 = -6. Your segmentation_loss gives its loss: 6.")
        assert page.errors == []


def test_the_lattice_is_a_picture_with_a_table_that_says_the_same(lab, browser):
    page = opened(browser, lab, "/lattice?text=hugs+hug")
    label = page.locator("svg[role=img]").get_attribute("aria-label")
    assert label.startswith("The lattice of hugs hug: 9 positions and 14 edges.")
    drawn = page.eval_on_selector_all(".lattice .edge", "(all) => all.map((one) => one.textContent)")
    rows = page.eval_on_selector_all(
        "tbody tr", "(all) => all.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert sorted(drawn) == sorted(token + score for _, _, token, score, _ in rows)
    best = page.eval_on_selector_all(".lattice .best", "(all) => all.map((one) => one.textContent)")
    assert best == [token + score for _, _, token, score, best in rows if best]
    assert best == ["hug-4", "s-2", "<unk>-14", "hug-4"]
    page.select_option("select", "1")
    page.fill("textarea", "the cat and the hat")
    page.fill("input[type=text]", "the cat")
    page.wait_for_selector(".lattice .letter:text-is('▁')")
    page.wait_for_url(lambda url: "learn=1" in url and "corpus=the+cat" in url)
    assert page.errors == []


def test_right_code_shows_every_view_on_screens_of_any_width(lab, browser):
    for width in (360, 1920):
        for view in VIEWS:
            page = opened(browser, lab, f"/{view}", viewport={"width": width, "height": 800})
            assert page.locator(".problem").count() == 0, view
            assert page.locator(".token, table").count() > 0, view
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{view} is wider than {width}"
            assert page.errors == []


def test_the_address_holds_the_state_and_not_the_token(lab, browser):
    page = opened(browser, lab, "/merge?text=the+the+the&step=2")
    assert "Step 2 of" in page.locator(".stepper output").inner_text()
    assert "256 e" not in page.url and lab.token not in page.url
    page.click("text=Next")
    page.wait_for_url(lambda url: "step=3" in url)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert "Step 3 of" in page.locator(".stepper output").inner_text()


def test_every_view_has_its_controls_and_shows_what_is_typed(lab, browser):
    second = ".strip .token:nth-of-type(2):text-is('q')"
    shown = {"type": second, "merge": second, "encode": second, "compare": "table >> text=your text"}
    for view in VIEWS:
        page = opened(browser, lab, f"/{view}")
        assert "[object" not in page.locator("main").inner_text(), view
        if view in shown:
            page.fill("textarea", "zq")
            page.wait_for_selector(shown[view])


def test_text_is_shown_as_text(lab, browser):
    for view in VIEWS:
        text = "<script>document.title='taken'</script><img src=x onerror=document.title='taken'>"
        page = opened(browser, lab, f"/{view}?text={text.replace(' ', '+')}&word={text.replace(' ', '+')}")
        page.wait_for_timeout(200)
        assert "g2c lab" in page.title() and page.locator("img").count() == 0, view


def test_everything_can_be_reached_with_the_keyboard(lab, browser):
    page = opened(browser, lab, "/type")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "To the content"
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("h2 >> text=Merge")
    assert page.evaluate("document.activeElement.getAttribute('aria-current')") == "page"
    for _ in range(20):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "range":
            break
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=Step 1 of")
    page.goto(f"http://127.0.0.1:{lab.port}/type?with=small&text=the+then")
    page.locator(".strip .token").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("[aria-label='The chosen token']")


CONTRAST = """() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const light = ([r, g, b]) => 0.2126 * linear(r / 255) + 0.7152 * linear(g / 255) + 0.0722 * linear(b / 255);
  const behind = (element) => {
    for (; element; element = element.parentElement) {
      const color = numbers(getComputedStyle(element).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const element of document.querySelectorAll("body *")) {
    if (![...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) || element.disabled) continue;
    if (!element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const drawn = element instanceof SVGElement ? style.fill : style.color;
    const [ink, ground] = [light(numbers(drawn)), light(behind(element))];
    const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    if (contrast < 4.5) poor.push([element.tagName, element.className, element.textContent.slice(0, 20), contrast]);
  }
  return poor;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_has_enough_contrast_and_all_controls_have_names(lab, browser, scheme):
    for view in VIEWS:
        page = opened(browser, lab, f"/{view}?step=2&text=the+the+cat", color_scheme=scheme)
        page.wait_for_timeout(300)
        assert page.evaluate(CONTRAST) == [], view
        controls = "[...document.querySelectorAll('input, textarea, select')]"
        assert page.evaluate(f"{controls}.filter((e) => !e.labels.length && !e.ariaLabel).length") == 0, view


@pytest.mark.parametrize("length", [9_999, 50_000])
def test_typing_in_a_long_text_leaves_the_cursor_where_it_is(lab, browser, length):
    page = opened(browser, lab, "/type?text=")
    area = page.locator("textarea")
    page.evaluate(
        "(text) => { const area = document.querySelector('textarea'); area.value = text;"
        " area.dispatchEvent(new Event('input')); }",
        "word " * (length // 5),
    )
    page.wait_for_selector("text=tokens")
    area.evaluate("(area) => { area.focus(); area.setSelectionRange(5, 5); }")
    page.keyboard.type("abc", delay=50)
    assert area.input_value().startswith("word abcword")
    assert area.evaluate("(area) => area.selectionStart") == 8


PASTE = """() => {
  const area = document.querySelector("textarea");
  area.value = "the cat שלום ".repeat(80_000);
  const began = performance.now();
  area.dispatchEvent(new Event("input"));
  return performance.now() - began;
}"""


def test_a_megabyte_is_pasted_and_the_page_stays_responsive(lab, browser):
    page = opened(browser, lab, "/type")
    assert page.evaluate(PASTE) < 1000
    page.wait_for_selector("text=The text has 1,040,000 characters.")
    page.click("text=Next part")
    page.wait_for_selector("text=from character 10,001 on")
    assert page.errors == [] and len(page.url) < 3000


@pytest.mark.parametrize("view", ["merge", "encode", "compare", "lattice"])
def test_of_a_megabyte_every_other_view_takes_the_beginning_and_says_so(lab, browser, view):
    # Lattice has its text to learn from when it learns.
    page = opened(browser, lab, f"/{view}?learn=1")
    page.wait_for_selector("textarea")
    assert page.evaluate(PASTE) < 1000
    page.wait_for_selector("text=The text was cut to its first")
    assert page.errors == [] and len(page.url) < 3000

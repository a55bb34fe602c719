"""The views in a browser: with code that is missing, wrong, right and endless, by keyboard, and on a narrow screen.

Without a browser, test_server.py and test_export_page.py test the answers that the views show.
"""

from urllib.parse import urlencode

import pytest

from g2c.lab.pages import VIEWS
from support.browsers import chromium, opened_page
from support.labs import RunningLab, lab_course

pytestmark = pytest.mark.whole


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(autouse=True)
def no_page_stays_open(browser):
    """Close the pages of a test: each asks the lab several times a second for saves."""
    yield
    for context in browser.contexts:
        context.close()


def opened(browser, lab: RunningLab, address: str, **options):
    address = f"{address}{'&' if '?' in address else '?'}token={lab.token}"
    return opened_page(browser.new_context(**options), f"http://127.0.0.1:{lab.port}{address}")


def test_every_view_works_on_untouched_files_and_says_what_is_not_written_yet(browser, course_template, tmp_path):
    with RunningLab(lab_course(course_template, tmp_path, answered=False)) as lab:
        for view in VIEWS:
            page = opened(browser, lab, f"/{view}")
            page.wait_for_selector(".token, .edge, table")
            assert page.locator(".problem").count() == 0, view
            missing = {"lattice": "segmentation_loss", "predict": "count"}.get(view, "_get_pair_counts")
            notes = " ".join(page.locator("main .note").all_inner_texts())
            assert (f"{missing} is not written yet" in notes) == (view != "trouble"), view
            assert "./datasets.sh gpt2 cl100k o200k" in notes or view not in ("type", "compare", "trouble")
            assert page.errors == []


ENCODE = """
    def encode(self, text):
        return list(text.encode())
"""
COUNT = """
    def _get_pair_counts(self, ids, barrier_ids=frozenset()):
        return {(ids[0], ids[1]): 1} if len(ids) > 1 else {}
"""
TIES = """
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        pair = sorted(counts, key=counts.get)[-1]
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
"""
NAME = """

def train_step(self, ids, new_id, rightly=BPETokenizer.train_step):
    step = rightly(self, ids, new_id)
    if step is not None:
        self.vocab[new_id] = self.vocab[new_id][::-1]
    return step


BPETokenizer.train_step = train_step
"""
BEST_PATH = """

def best_path(self, text, without=None):
    %s


UnigramTokenizer.best_path = best_path
"""


def test_wrong_code_is_named_by_every_view_that_runs_it_until_a_save_fixes_it(browser, course_template, tmp_path):
    clone = lab_course(course_template, tmp_path, answered=True)
    bpe, unigram = clone.path("g2c/tokenizer/bpe.py"), clone.path("g2c/tokenizer/unigram.py")
    right_bpe, right_unigram = bpe.read_text(encoding="utf-8"), unigram.read_text(encoding="utf-8")
    with RunningLab(clone) as lab:
        pages = {
            view: opened(browser, lab, f"/{view}?step=9") for view in ("type", "merge", "encode", "compare", "lattice")
        }

        def after_saving(path, code, **sentences):
            path.write_text(code, encoding="utf-8")
            for view, sentence in sentences.items():
                pages[view].wait_for_selector(f"main >> text={sentence}")

        not_those = "Your encode does not return the tokens"
        kinds = "for English, German, code, numbers, emoji."
        after_saving(bpe, right_bpe + ENCODE, type="In your result, token 1 is", encode="of the last round.")
        pages["compare"].wait_for_selector(f"text={not_those} that these merges give, {kinds}")
        after_saving(bpe, right_bpe + COUNT, merge="Your code first differs from correct training at step 0.")
        after_saving(bpe, right_bpe, merge="Your code's merges so far: 9")
        pages["merge"].wait_for_selector(".problem", state="detached")
        after_saving(bpe, right_bpe + TIES, merge="It should have chosen")
        after_saving(bpe, right_bpe + NAME, merge="Your code first differs from correct training at step 0.")
        after_saving(bpe, right_bpe, encode="Your encode returns the same tokens.")
        for view in ("type", "merge", "encode", "compare"):
            pages[view].wait_for_selector(".problem", state="detached")
        for body, sentence in (
            ("return list(text)", "Your best_path returns h -3 + u -3 + g -3 + s -2 = -11."),
            ("return list(text)", "Another path has a higher sum, -6: hug + s."),
            ("return list(text)[1:]", "is not a path from the first position to the last"),
            ("return ['hugs']", "is not a path from the first position to the last"),
            ("while True: pass", "best_path was stopped"),
        ):
            after_saving(unigram, right_unigram + BEST_PATH % body, lattice=sentence)
        pages["merge"].click("text=Next")
        pages["merge"].wait_for_selector("text=Step 10 of")
        after_saving(unigram, right_unigram, lattice="hug -4 + s -2 = -6. Your segmentation_loss of it is 6.")
        assert [page.errors for page in pages.values()] == [[]] * 5


def test_the_lattice_is_a_picture_with_a_table_that_says_the_same(lab, browser):
    page = opened(browser, lab, "/lattice?text=hugs+hug")
    label = page.locator("svg[role=img]").get_attribute("aria-label")
    assert label.startswith("The lattice of hugs hug: 9 positions and 14 edges.")
    texts = "(all) => all.map((one) => one.textContent)"
    rows = page.eval_on_selector_all(
        "tbody tr", "(all) => all.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert sorted(page.eval_on_selector_all(".lattice .edge", texts)) == sorted(row[2] + row[3] for row in rows)
    best = page.eval_on_selector_all(".lattice .best", texts)
    assert best == [row[2] + row[3] for row in rows if row[4]] == ["hug-4", "s-2", "<unk>-14", "hug-4"]
    assert page.errors == []


def test_right_code_shows_every_view_on_screens_of_any_width(lab, browser):
    for width in (360, 1920):
        for view in VIEWS:
            page = opened(browser, lab, f"/{view}", viewport={"width": width, "height": 800})
            assert page.locator(".problem").count() == 0, view
            assert page.locator(".token, table").count() > 0, view
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{view} is wider than {width}"
            assert page.errors == []


def test_a_predicted_token_continues_the_text(lab, browser):
    page = opened(browser, lab, "/predict?text=the+")
    page.wait_for_selector("td button")
    token = page.locator("td button").first.inner_text()
    page.locator("td button").first.click()
    page.wait_for_selector(f".strip >> text={token}")
    assert page.locator("textarea").input_value() == "the " + token.replace("␣", " ").replace("\\n", "\n")
    assert page.locator("td button").count() == 15 and page.locator(".problem").count() == 0 and page.errors == []


def test_the_address_holds_the_state_and_not_the_token(lab, browser):
    page = opened(browser, lab, "/merge?text=the+the+the&step=2")
    assert "Step 2 of" in page.locator(".stepper output").inner_text()
    assert "256 e" not in page.url and lab.token not in page.url
    page.click("text=Next")
    page.wait_for_url(lambda url: "step=3" in url)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert "Step 3 of" in page.locator(".stepper output").inner_text()


def test_what_is_typed_is_shown_as_text(lab, browser):
    text = "<script>document.title='taken'</script><img src=x onerror=document.title='taken'>"
    for view in VIEWS:
        page = opened(browser, lab, f"/{view}?{urlencode({'text': text, 'word': text})}")
        if view not in ("trouble", "lattice"):
            page.fill("textarea", "zq")
            page.wait_for_selector(
                "text=your text" if view == "compare" else ".strip .token:nth-of-type(2):text-is('q')"
            )
        assert "[object" not in page.inner_text("main") and "undefined" not in page.inner_text("main"), view
        assert "g2c lab" in page.title() and page.locator("img").count() == 0 and page.errors == [], view


def test_results_that_change_are_announced_once_typing_pauses_and_nothing_shows_backticks(lab, browser):
    said = {"type": "your encode: ", "merge": " tokens in the vocabulary", "encode": " tokens", "predict": "Next: "}
    said |= {
        "compare": "your text: your encode ",
        "trouble": "Counting letters: “r” occurs 3 times",
        "lattice": "Your best_path returns ",
    }
    for view in VIEWS:
        page = opened(browser, lab, f"/{view}")
        status = page.locator("#said[role=status]")
        page.evaluate(
            "() => { window.times = 0; new MutationObserver(() => { window.times += 1; })"
            ".observe(document.getElementById('said'), { childList: true }); }"
        )
        page.wait_for_timeout(1000)
        assert status.inner_text() == "", "what a view shows at first is read, not announced"
        page.locator("main :is(textarea, input[type=text])").first.focus()
        page.keyboard.press("End")
        page.keyboard.type(" hug", delay=50)
        page.wait_for_selector("#said > span", state="attached")
        assert said[view] in status.inner_text(), (view, status.inner_text())
        assert page.evaluate("window.times") == 1 and "`" not in page.inner_text("body"), view
        assert page.errors == []


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
        page.wait_for_selector(".token, .edge, table")
        page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")
        assert page.evaluate(CONTRAST) == [], view
        controls = "[...document.querySelectorAll('input, textarea, select')]"
        assert page.evaluate(f"{controls}.filter((e) => !e.labels.length && !e.ariaLabel).length") == 0, view


def test_typing_in_a_long_text_leaves_the_cursor_where_it_is(lab, browser):
    page = opened(browser, lab, "/type?text=")
    area = page.locator("textarea")
    page.evaluate(
        "(text) => { const area = document.querySelector('textarea'); area.value = text;"
        " area.dispatchEvent(new Event('input')); }",
        "word " * 1999,
    )
    page.wait_for_selector("text=tokens")
    area.evaluate("(area) => { area.focus(); area.setSelectionRange(5, 5); }")
    page.keyboard.type("abc", delay=50)
    assert area.input_value().startswith("word abcword")
    assert area.evaluate("(area) => area.selectionStart") == 8


@pytest.mark.parametrize("view", ["type", "merge", "encode", "compare"])
def test_of_a_megabyte_a_view_takes_the_beginning(lab, browser, view):
    page = opened(browser, lab, f"/{view}?text=")
    area = page.locator("textarea")
    area.focus()
    page.keyboard.insert_text("the cat שלום " * 80_000)
    page.wait_for_selector(".token, td")
    most = area.get_attribute("maxlength")
    assert len(area.input_value()) == int(most)
    assert f"up to {int(most):,} characters" in page.locator("label", has=area).inner_text()
    assert page.errors == [] and len(page.url) < 3000

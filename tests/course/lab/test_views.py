"""The views in Chromium, from a file: what they show, by keyboard, and on a narrow screen.

Without a browser, test_pages.py tests the answers that the views show.
"""

from urllib.parse import urlencode

import pytest

from g2c.corpus.corpora import pydocs_topics
from g2c.engine.fast import train_fast
from g2c.lab.pages import page_of
from g2c.solutions.bpe import BPETokenizer
from support.browsers import chromium, opened_page
from support.labs import shown

pytestmark = pytest.mark.whole

VIEWS = ("type", "merge", "encode", "compare", "trouble", "lattice")


@pytest.fixture(scope="module")
def browser():
    with chromium() as running:
        yield running


@pytest.fixture(autouse=True)
def no_page_stays_open(browser):
    yield
    for context in browser.contexts:
        context.close()


@pytest.fixture(scope="module")
def lab(tmp_path_factory) -> str:
    """The address of a page with two tokenizers, of which one has a corpus."""
    tokenizers = {}
    for name, pattern, size in (("Mine", "gpt2", 600), ("Other", None, 400)):
        tokenizers[name] = BPETokenizer(["<|endoftext|>"], pattern=pattern)
        train_fast(tokenizers[name], pydocs_topics()[:20], size, progress=False)
    first, second = shown(**tokenizers)
    first["corpus"] = {"name": "a poem", "counts": [1] * 500}
    path = tmp_path_factory.mktemp("lab") / "index.html"
    path.write_text(page_of([first, second]), encoding="utf-8")
    return path.as_uri()


def opened(browser, lab: str, address: str):
    return opened_page(browser.new_context(), f"{lab}#{address}")


def test_the_page_asks_for_nothing_and_says_what_it_shows(browser, lab):
    context, asked = browser.new_context(), []
    context.on("request", lambda request: asked.append(request.url))
    page = opened_page(context, f"{lab}#/type?text=the+sequence&chosen=Mine:300&with=Mine")
    assert page.title() == "Type · g2c lab" and "1 time in a poem" in page.inner_text(".inner")
    sentences = {
        "/lattice?text=hugs": "The best path: hug -4 + s -2 = -6. Its loss is 6.",
        "/merge?text=ab+ab&step=1": "Merged a + b → ab 256",
        "/encode?text=the&step=9": "No adjacent pair has a merge, so encoding ends.",
        "/compare?text=the+the": "your text",
        "/trouble?letter=+": "“ ” occurs 1 time in the word, in 1 of",
        "/trouble": "of 343 learned tokens do not occur in a poem.",
    }
    for address, sentence in sentences.items():
        view = opened_page(context, f"{lab}#{address}")
        assert sentence in view.inner_text("main"), address
        assert view.errors == [], address
    assert all(url.startswith(("file:", "data:")) for url in asked) and page.errors == []


def test_the_lattice_is_a_picture_with_a_table_that_says_the_same(lab, browser):
    page = opened(browser, lab, "/lattice?text=hugs+hug")
    texts = "(all) => all.map((one) => one.textContent)"
    cells = "(all) => all.map((row) => [...row.cells].map((one) => one.innerText))"
    rows = page.eval_on_selector_all("tbody tr", cells)
    assert sorted(page.eval_on_selector_all(".lattice .edge", texts)) == sorted(row[2] + row[3] for row in rows)
    best = page.eval_on_selector_all(".lattice .best", texts)
    assert best == [row[2] + row[3] for row in rows if row[4]] == ["hug-4", "s-2", "<unk>-14", "hug-4"]


def test_the_address_holds_the_state(lab, browser):
    page = opened(browser, lab, "/merge?text=the+the+the&step=2")
    assert "Step 2 of" in page.locator(".stepper output").inner_text()
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


SAID = {
    "type": "Mine: 4 tokens, 4 characters, 4 bytes, 1.00 characters per token. "
    "Other: 4 tokens, 4 characters, 4 bytes, 1.00 characters per token.",
    "compare": "your text: Mine 4 tokens, Other 4 tokens.",
    "trouble": "Spelling backwards: zqxj: 4 tokens. Spelling backwards: jxqz: 4 tokens. Spelling backwards: The two "
    "have 4 tokens in common. Counting letters: “r” occurs 0 times in the word, in 0 of 4 tokens.",
}


@pytest.mark.parametrize("view", SAID)
def test_results_that_change_are_announced_once_typing_pauses(view, lab, browser):
    page = opened(browser, lab, f"/{view}?with=Mine,Other")
    page.evaluate(
        "() => { const said = document.getElementById('said'); window.said = [];"
        "new MutationObserver(() => window.said.push(said.innerText)).observe(said, { childList: true }); }"
    )
    page.locator("main :is(textarea, input[type=text])").first.fill("")
    page.keyboard.type("zqxj", delay=50)
    page.wait_for_function("window.said.length")
    [said] = page.evaluate("window.said")
    assert said == SAID[view] and page.errors == []


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
    page.goto(f"{lab}#/type?with=Mine&text=the+then")
    page.wait_for_selector("h2 >> text=Type")
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


def test_a_view_fits_any_width_and_all_text_has_enough_contrast_and_all_controls_have_names(lab, browser):
    for view in VIEWS:
        page = opened(browser, lab, f"/{view}?step=2&text=the+the+cat")
        for width in (1920, 360):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{view} is wider than {width}"
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.wait_for_function("document.getAnimations().every((one) => one.playState === 'finished')")
            assert page.evaluate(CONTRAST) == [], (view, scheme)
        controls = "[...document.querySelectorAll('input, textarea, select')]"
        assert page.evaluate(f"{controls}.filter((e) => !e.labels.length && !e.ariaLabel).length") == 0, view

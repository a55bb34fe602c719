// Shows tokens as text, and makes the parts of a page that several views use. Text enters the page only as text nodes.

import { button, counted, el, note, number } from "./elements.js";
import { BOUNDARY } from "./tokenizer.js";

const COLORS = 5;

// --- bytes and tokens ------------------------------------------------------------------------------------------------

// A character in UTF-8, or else a single byte, with % before each byte.
const CHARACTER = /%[cd].%[89ab].|%e.(?:%[89ab].){2}|%f.(?:%[89ab].){3}|%../g;

// Returns the bytes of a token, given in hexadecimal, as printable text, by the rules of `token_text` in g2c/common/text.py:
// a space is ␣, and unprintable characters are escaped, as are bytes of incomplete characters.
export function tokenText(bytes) {
  const text = bytes.replace(/../g, "%$&").replace(CHARACTER, (found) => {
    try {
      return visible(decodeURIComponent(found));
    } catch {
      return found.replaceAll("%", "\\x");
    }
  });
  return /^\p{M}/u.test(text) ? `◌${text}` : text;
}

const SHOWN_AS = { " ": "␣", "\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\", "␣": "\\u2423" };

function visible(character) {
  if (character in SHOWN_AS) return SHOWN_AS[character];
  if (!/[\p{C}\p{Z}]/u.test(character)) return character;
  const code = character.codePointAt(0);
  const [letter, digits] = code < 0x80 ? ["x", 2] : code < 0x10000 ? ["u", 4] : ["U", 8];
  return `\\${letter}${code.toString(16).padStart(digits, "0")}`;
}

// Returns the text of the token with this ID, or its number if the vocabulary has no such token.
export function textOf(tokens, id) {
  if (id === BOUNDARY) return "¦";
  return tokens[id] ? tokenText(tokens[id].bytes) : `?${id}`;
}

// --- elements --------------------------------------------------------------------------------------------------------

// Makes a part of an SVG picture. The parser supplies the namespace, so an exported page contains no address.
const SVG = document.createRange().createContextualFragment("<svg></svg>").firstChild.namespaceURI;

export function svg(name, attributes, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export const card = (attributes, ...children) => el("section", { class: "card", ...attributes }, children);

export function labeled(label, control, { inline = false } = {}) {
  return el("label", { class: inline ? "field inline" : "field" }, el("span", {}, label), control);
}

export function selectOf(label, value, choices, chosen) {
  const options = choices.map(([choice, text]) => el("option", { value: choice, selected: choice === value }, text));
  return labeled(label, el("select", { onchange: (event) => chosen(event.target.value) }, options), { inline: true });
}

// Shows numbers, each with its noun, in a row.
export function stats(figures, ...more) {
  const texts = figures.map(([value, noun]) => [typeof value === "number" ? number(value) : value, ` ${noun}`]);
  const shown = texts.map(([value, noun]) => el("span", {}, el("b", {}, value), noun));
  return el("div", { class: "stats", "data-said": texts.map((text) => text.join("")).join(", ") }, shown, ...more);
}

// Makes a table. `chosen(place)` says whether the row at this place is highlighted.
export function table(caption, head, rows, { chosen = () => false } = {}) {
  const isNumeric = head.map((_, place) => rows.length > 0 && rows.every((row) => typeof row[place] === "number"));
  const cell = (name) => (content, place) => {
    const meaning = name === "th" ? { scope: "col" } : { "data-head": head[place] };
    const shown = typeof content === "number" ? number(content) : content;
    return el(name, { class: isNumeric[place] ? "number" : null, ...meaning }, shown);
  };
  const body = rows.map((row, place) => el("tr", { class: chosen(place) ? "chosen" : null }, row.map(cell("td"))));
  const headings = el("thead", {}, el("tr", {}, head.map(cell("th"))));
  const made = el("table", {}, el("caption", {}, caption), headings, el("tbody", {}, body));
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption }, made);
}

// --- strips of tokens ------------------------------------------------------------------------------------------------

const BOXES = 1_000; // Tokens that are drawn; of more, the number is given.

// Shows tokens as colored boxes. `choose(id)` makes them buttons with one tab stop and arrow keys. Occurrences of the pair
// `next` are underlined. `colorOf(id)` gives each token a color of its own; without it, colors take turns.
export function tokenStrip(ids, tokens, { choose = null, showIds = false, marked = null, next = null, colorOf = null, label = "tokens", breaks = true } = {}) {
  const strip = el("div", { class: "strip", role: "group", "aria-label": label, tabindex: choose ? null : 0 });
  const joined = new Set();
  for (let place = 0; next && place + 1 < ids.length; place++)
    if (ids[place] === next[0] && ids[place + 1] === next[1]) joined.add(place).add(++place);
  let turn = 0;
  for (const [place, id] of ids.slice(0, BOXES).entries()) {
    if (id === BOUNDARY) {
      strip.append(el("span", { class: "boundary", title: "Nothing is merged across this boundary." }, "¦"));
      continue;
    }
    const token = tokens[id];
    const kind = token?.special ? "special" : token ? `c${(colorOf ? colorOf(id) : turn++) % COLORS}` : "unknown";
    const classes = `token ${kind}${marked?.(id) ? " marked" : ""}${joined.has(place) ? " next" : ""}`;
    const text = textOf(tokens, id);
    // Without bdi, right-to-left text and the number would change places.
    const content = showIds ? [el("bdi", {}, text), el("small", {}, String(id))] : text;
    strip.append(el("span", { class: classes, title: `ID ${id}`, "data-id": id }, content));
    if (breaks && token?.bytes.endsWith("0a")) strip.append(el("br"));
  }
  if (choose) makeChoosable(strip, choose);
  if (ids.length > BOXES) strip.append(note(`… and ${counted(ids.length - BOXES, "more token")}`));
  return strip;
}

function makeChoosable(strip, choose) {
  const boxes = [...strip.querySelectorAll(".token")];
  // Browsers take several times as long to lay out a real button.
  for (const [place, box] of boxes.entries()) {
    box.setAttribute("role", "button");
    box.tabIndex = place ? -1 : 0;
  }
  const chooseBox = (box) => box && choose(Number(box.dataset.id));
  strip.addEventListener("click", ({ target }) => chooseBox(target.closest(".token")));
  strip.addEventListener("keydown", (event) => {
    const place = boxes.indexOf(event.target);
    const target = boxes[{ ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: boxes.length - 1 }[event.key]];
    const isChosen = event.key === "Enter" || event.key === " ";
    if (place < 0 || !(target || isChosen)) return;
    event.preventDefault();
    if (isChosen) return chooseBox(boxes[place]);
    boxes[place].tabIndex = -1;
    target.tabIndex = 0;
    target.focus();
  });
}

// Shows a token in a border, alone or as a pair: t + h.
export const chip = (text) => el("span", { class: "token plain" }, el("bdi", {}, text));
export const pairOf = (tokens, left, right) => [chip(textOf(tokens, left)), " + ", chip(textOf(tokens, right))];

// Shows a pair and the token that replaces it: t + h → th 256.
export const mergeText = (tokens, left, right, newId) => [...pairOf(tokens, left, right), " → ", chip(textOf(tokens, newId)), ` ${newId}`];

// --- steps -----------------------------------------------------------------------------------------------------------

// Makes a slider with buttons: back, play, forward. It calls `move(step)` for each step. `show(now, last)` sets it.
export function stepper(label, move) {
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  };
  const isAtEnd = () => slider.valueAsNumber >= Number(slider.max);
  const by = (steps) => move(slider.valueAsNumber + steps);
  const slider = el("input", { type: "range", min: 0, max: 0, "aria-label": label, oninput: () => (stop(), by(0)) });
  const play = button("Play", () => {
    if (timer) return stop();
    if (isAtEnd()) move(0);
    play.textContent = "Pause";
    timer = setInterval(() => (isAtEnd() || !slider.isConnected ? stop() : by(1)), 900);
  });
  const back = button("Back", () => (stop(), by(-1)));
  const forward = button("Next", () => (stop(), by(1)));
  const where = el("output");
  const show = (now, last) => {
    slider.max = last;
    slider.value = now;
    where.textContent = `Step ${now} of ${last}`;
    back.disabled = now === 0;
    forward.disabled = now === last;
  };
  return { element: el("div", { class: "stepper" }, back, play, forward, slider, where), show };
}

// --- for screen readers ------------------------------------------------------------------------------------------------

// Tells a screen reader, through `said`, the results in `root` that have changed, once nothing has changed for a moment.
// Results that are there at first are read, not told.
const SILENCE = 800; // Milliseconds.
const RESULTS = ".verdict, .problem > h3, [data-said]";

export function announcer(root, said) {
  const sentenceOf = (result) => {
    const title = result.closest("section")?.querySelector("h3");
    const text = result.dataset.said ?? result.innerText;
    return (title && title !== result ? `${title.innerText}: ${text}` : text).replace(/\.?$/, ".");
  };
  const results = () => [...root.querySelectorAll(RESULTS)].map(sentenceOf);
  let told = results();
  let waiting = null;
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      const found = results();
      said.textContent = found.filter((text) => !told.includes(text)).join(" ");
      told = found;
    }, SILENCE);
  };
}

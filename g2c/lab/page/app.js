// The page of the lab: one view at a time, whose state is in the address: index.html#/merge?text=…&step=2.

import { el } from "./elements.js";
import { sourceOf } from "./tokenizer.js";
import { showView, VIEWS } from "./views.js";

const MAX_ADDRESS = 2_000; // Characters of a text. Views that take a text from the view before use fewer.
const SHARE_TEXT = ["type", "merge", "encode"]; // Views that begin with the text of the view before.
const source = sourceOf(JSON.parse(document.getElementById("data").textContent));
let writing = null;

function readAddress() {
  const [path, query] = location.hash.slice(1).split(/\?(.*)/s);
  const name = path.replaceAll("/", "");
  return [Object.hasOwn(VIEWS, name) ? name : Object.keys(VIEWS)[0], Object.fromEntries(new URLSearchParams(query))];
}

function addressOf(name, state) {
  // A long text does not fit into an address, but the rest of the state does.
  const fits = (value) => value !== undefined && value !== "" && value.length <= MAX_ADDRESS;
  const query = new URLSearchParams(Object.entries(state).filter(([, value]) => fits(value))).toString();
  return `#/${name}${query ? `?${query}` : ""}`;
}

const links = new Map(Object.entries(VIEWS).map(([name, { title }]) => [name, el("a", {}, title)]));
document.getElementById("views").append(...links.values());

// Marks the view in the list. The others begin with its text if they use one.
function list(current, { text }) {
  for (const [name, link] of links) {
    link.href = addressOf(name, current !== "lattice" && SHARE_TEXT.includes(name) ? { text: text?.slice(0, MAX_ADDRESS) } : {});
    link.ariaCurrent = name === current ? "page" : null;
  }
}

async function open(name, state) {
  clearTimeout(writing);
  document.title = `${VIEWS[name].title} · g2c lab`;
  list(name, state);
  await showView(document.getElementById("main"), document.getElementById("said"), VIEWS[name], state, source, () => {
    list(name, state);
    clearTimeout(writing);
    // A browser refuses too many changes of the address in a row.
    writing = setTimeout(() => history.replaceState(null, "", addressOf(name, state)), 250);
  });
}

await open(...readAddress());
window.addEventListener("hashchange", () => open(...readAddress()));
document.documentElement.dataset.ready = "true";

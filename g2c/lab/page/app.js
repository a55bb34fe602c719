// The page of the lab: one view at a time, whose state is in the address: index.html#/merge?text=…&step=2.

import { el } from "./elements.js";
import { sourceOf } from "./source.js";
import { showView, VIEWS } from "./views.js";

const MAX_ADDRESS = 2_000; // Characters of a text.
const SHARE_TEXT = ["type", "merge", "encode"]; // Views that keep the text of the view before.
const source = sourceOf(JSON.parse(document.getElementById("data").textContent));
let shown = null; // The name and the state of the view.
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

async function open(name, state) {
  clearTimeout(writing);
  shown = { name, state };
  document.title = `${VIEWS[name].title} · g2c lab`;
  document.getElementById("views").replaceChildren(
    ...Object.entries(VIEWS).map(([other, { title }]) =>
      el("a", { href: addressOf(other, {}), "aria-current": other === name ? "page" : null, onclick: (event) => follow(event, other) }, title),
    ),
  );
  await showView(document.getElementById("main"), document.getElementById("said"), VIEWS[name], state, source, () => {
    clearTimeout(writing);
    // A browser refuses too many changes of the address in a row.
    writing = setTimeout(() => history.replaceState(null, "", addressOf(name, state)), 250);
  });
}

function follow(event, name) {
  event.preventDefault();
  const values = shown.state.text && shown.name !== "lattice" && SHARE_TEXT.includes(name) ? { text: shown.state.text } : {};
  history.pushState(null, "", addressOf(name, values));
  open(name, values);
  document.querySelector("[aria-current]").focus();
}

await open(...readAddress());
window.addEventListener("hashchange", () => open(...readAddress()));
document.documentElement.dataset.ready = "true";

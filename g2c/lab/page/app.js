// The page: one view at a time, whose state is in the address: /merge?text=…&step=2, or #/merge?… in an exported page.

const MAX_ADDRESS = 2_000; // Characters of a text.
// Leaves out views of modules that this copy of the course lacks and, without the server, views that need its corpora.
const isOffered = ({ module, needsServer }) => !(needsServer && source.hasHash) && (settings.modules?.includes(module) ?? true);
const OFFERED = Object.fromEntries(Object.entries(VIEWS).filter(([, one]) => isOffered(one)));
let view = null;
let state = {};
let update = async () => {};
let writing = null;

// A screen reader hears the results that have changed, once nothing has changed for a moment.
const SILENCE = 800; // Milliseconds.
const RESULTS = ".stats, .verdict, .problem > h3, [data-said]";
let announcing = null;
let told = new Set();

function results() {
  const said = (result) => {
    const title = result.closest("section")?.querySelector("h3");
    const text = result.matches(".stats") ? [...result.querySelectorAll("span")].map((one) => one.innerText).join(", ") : result.innerText;
    const sentence = result.dataset.said ?? (title && title !== result ? `${title.innerText}: ${text}` : text);
    return sentence.endsWith(".") ? sentence : `${sentence}.`;
  };
  return new Set([...document.querySelectorAll("main :is(" + RESULTS + ")")].map(said));
}

function announce() {
  clearTimeout(announcing);
  announcing = setTimeout(() => {
    const found = results();
    document.getElementById("said").replaceChildren(...[...found].filter((text) => !told.has(text)).map((text) => el("span", {}, `${text} `)));
    told = found;
  }, SILENCE);
}

function readAddress() {
  const address = source.hasHash ? location.hash.slice(1) : location.pathname + location.search;
  const [path, query] = address.split(/\?(.*)/s);
  const name = path.replaceAll("/", "");
  const values = Object.fromEntries(new URLSearchParams(query));
  delete values.token; // The server's, not a part of the state.
  return [Object.hasOwn(OFFERED, name) ? name : Object.keys(OFFERED)[0], values];
}

function addressOf(name, values) {
  // A long text does not fit into an address, but the rest of the state does.
  const fits = (value) => value !== undefined && value !== "" && value.length <= MAX_ADDRESS;
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => fits(value))).toString();
  return `${source.hasHash ? "#" : ""}/${name}${query ? `?${query}` : ""}`;
}

function change(values) {
  Object.assign(state, values);
  for (const key of Object.keys(state)) if (state[key] === undefined) delete state[key];
  clearTimeout(writing);
  // A browser refuses too many changes of the address in a row.
  writing = setTimeout(() => history.replaceState(null, "", addressOf(view, state)), 250);
  return update().then(announce);
}

async function open(name, values) {
  clearTimeout(writing);
  view = name;
  state = values;
  const { title, intro, build } = OFFERED[name];
  const main = document.getElementById("main");
  main.replaceChildren(el("h2", {}, title), el("p", { class: "intro" }, intro), settings.key ? note("The answer key runs here, not your code.") : "");
  document.title = `${title} · g2c lab`;
  document.getElementById("views").replaceChildren(
    ...Object.entries(OFFERED).map(([other, { title: text }]) =>
      el("a", { href: addressOf(other, {}), "aria-current": other === name ? "page" : null, onclick: (event) => follow(event, other) }, text),
    ),
  );
  update = build(main, state, change);
  await update();
  told = results(); // Whoever opens a view reads it.
}

function follow(event, name) {
  event.preventDefault();
  // The text is kept for views that show one.
  const goesAlong = state.text && VIEWS[view].module === VIEWS[name].module && name !== "compare" && name !== "trouble";
  const values = goesAlong ? { text: state.text } : {};
  history.pushState(null, "", addressOf(name, values));
  open(name, values);
  document.querySelector("[aria-current]").focus();
}

async function start() {
  const { problem } = await attempt(async () => (tokenizers = await source.tokenizers()));
  if (problem) return document.getElementById("main").replaceChildren(problemBox(problem));
  await open(...readAddress());
  window.addEventListener("popstate", () => open(...readAddress()));
  if (source.hasHash) window.addEventListener("hashchange", () => open(...readAddress()));
  if (!source.exported) {
    // Take the token out of the address, which somebody may copy. The cookie replaces it.
    history.replaceState(null, "", addressOf(view, state));
    watchExerciseFiles(() => update(true).then(announce));
  }
  document.documentElement.dataset.ready = "true";
}

start();

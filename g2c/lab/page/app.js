// The page: one view at a time, whose state is in the address: /merge?text=…&step=2, or #/merge?… in an exported page.

const MAX_ADDRESS = 2_000; // Characters of a text.
let view = null;
let state = {};
let update = async () => {};
let writing = null;

function readAddress() {
  const address = source.exported ? location.hash.slice(1) : location.pathname + location.search;
  const cut = address.indexOf("?");
  const name = (cut < 0 ? address : address.slice(0, cut)).replaceAll("/", "");
  const values = Object.fromEntries(new URLSearchParams(cut < 0 ? "" : address.slice(cut)));
  delete values.token; // The server's, not a part of the state.
  return [Object.hasOwn(VIEWS, name) ? name : "type", values];
}

function addressOf(name, values) {
  // A long text does not fit into an address; the rest of the state does.
  const fits = (value) => value !== undefined && value !== "" && value.length <= MAX_ADDRESS;
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => fits(value))).toString();
  return `${source.exported ? "#" : ""}/${name}${query ? `?${query}` : ""}`;
}

function change(values) {
  Object.assign(state, values);
  for (const key of Object.keys(state)) if (state[key] === undefined) delete state[key];
  clearTimeout(writing);
  // A browser refuses too many changes of the address in a row.
  writing = setTimeout(() => history.replaceState(null, "", addressOf(view, state)), 250);
  return update();
}

function open(name, values) {
  clearTimeout(writing);
  view = name;
  state = values;
  const { title, intro, build } = VIEWS[name];
  const main = document.getElementById("main");
  main.replaceChildren(el("h2", {}, title), el("p", { class: "intro" }, intro));
  document.title = `${title} · g2c lab`;
  document.getElementById("views").replaceChildren(
    ...Object.entries(VIEWS).map(([other, { title: text }]) =>
      el("a", { href: addressOf(other, {}), "aria-current": other === name ? "page" : null, onclick: (event) => follow(event, other) }, text),
    ),
  );
  update = build(main, state, change);
  showReport();
  return update();
}

function follow(event, name) {
  event.preventDefault();
  // A text goes along to the views that show one.
  const values = state.text && VIEWS[view].module === VIEWS[name].module && name !== "compare" && name !== "trouble" ? { text: state.text } : {};
  history.pushState(null, "", addressOf(name, values));
  open(name, values);
  document.querySelector("[aria-current]").focus();
}

// --- the tests of the exercise files -----------------------------------------------------------------------------------

let results = {}; // ID of a module -> {state: "passed" | "failed", exercise, title, report, key}, or null as long as its tests run.

function showReport() {
  const place = document.getElementById("report");
  const tests = results[VIEWS[view].module];
  if (!tests) return place.replaceChildren();
  if (tests.state === "failed" && (!tests.exercise || VIEWS[view].exercises.includes(tests.exercise)))
    place.replaceChildren(el("section", { class: "report" }, el("h3", {}, tests.title), el("pre", {}, tests.report)));
  else if (tests.state === "failed") place.replaceChildren();
  else place.replaceChildren(tests.key ? el("p", { class: "note" }, tests.key) : "");
}

async function start() {
  try {
    tokenizers = await source.tokenizers();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return document.getElementById("main").replaceChildren(problemBox(error));
  }
  await open(...readAddress());
  window.addEventListener("popstate", () => open(...readAddress()));
  if (source.exported) {
    window.addEventListener("hashchange", () => open(...readAddress()));
    acceptDrops();
  } else {
    // Leave the token out of an address that may be copied. In a frame of a notebook there is no cookie in its place.
    if (window.top === window) history.replaceState(null, "", addressOf(view, state));
    let version = null;
    watchExerciseFile((event) => {
      results = event.tests;
      showReport();
      if (version !== null && version !== event.version) update(true);
      version = event.version;
    });
  }
  document.documentElement.dataset.ready = "true";
  if (window.parent !== window) window.parent.postMessage("g2c lab is ready", "*");
}

// --- reading the user's tokenizer.json, in an exported page ----------------------------------------------------------------

function acceptDrops() {
  const message = el("span", { role: "status" }, "");
  const picker = el("input", { type: "file", accept: ".json,application/json", onchange: () => take(picker.files[0]) });
  const zone = el("div", { class: "drop" }, labeled("Drop a tokenizer.json here, or choose one", picker), message);
  document.getElementById("report").after(el("div", { class: "wrap" }, zone));
  const take = async (file) => {
    if (!file) return;
    const name = file.name.replace(/,/g, " ");
    let shown;
    try {
      shown = source.addTokenizer(name, JSON.parse(await file.text()));
    } catch (error) {
      if (!(error instanceof Unsupported || error instanceof SyntaxError)) throw error;
      message.textContent = error instanceof SyntaxError ? `${file.name} is not JSON.` : `${file.name} cannot be read. ${error.message}`;
      return;
    }
    tokenizers = await source.tokenizers();
    message.textContent = `${name} is loaded.`;
    if (shown) history.pushState(null, "", addressOf(shown, { vocabulary: name }));
    if (shown) open(shown, { vocabulary: name });
    else open(view, { ...state, with: name, tokenizer: name, chosen: undefined });
  };
  for (const kind of ["dragover", "dragleave", "drop"])
    document.addEventListener(kind, (event) => {
      event.preventDefault();
      zone.classList.toggle("over", kind === "dragover");
      if (kind === "drop") take(event.dataTransfer.files[0]);
    });
}

start();

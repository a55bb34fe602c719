// The page: an exercise, the file, the report, the groups. Python runs in a worker (python.js, session.py) and writes the
// rows of a report. Views of the lab show training and encoding by the student's code.

import { isBusy, send, start, stop } from "./python.js";
import { counted, el, note } from "./show.js";
import { keep, keepVersion, kept, watchOtherTabs } from "./store.js";
import { roundsOf, studentsStates, tokenizerOf, trainingStates } from "./tokenizer.js";
import { showView, VIEWS } from "./views.js";

const PAUSE = 1000; // Milliseconds without a key after which the file is tested.
const place = (id) => document.getElementById(id);
const version = new URL(import.meta.url).search;
const fetched = async (name) => (await fetch(name + version)).json();
const [course, small] = await Promise.all(["course.json", "small.json"].map(fetched));
const modules = new Map(course.modules.map((module) => [module.id, module]));

let module = modules.get(location.hash.slice(1)) ?? course.modules[0];
let tests = []; // The records of the last run, in its order.
let totals = {}; // Test group -> how many tests it has.
let passing = new Set(); // Exercises that passed when they were last tested.
let exercise = module.exercises[0];
let timer = null;
let trained = null; // The table of the tokenizer that was trained.
let hints = {}; // Exercise -> {number, text}: how many hints were shown, and the file at that time.

// --- the editor --------------------------------------------------------------------------------------------------------

const ace = window.ace;
ace.config.set("basePath", "ace-builds");
const editor = ace.edit("editor", {
  mode: "ace/mode/python", tabSize: 4, useSoftTabs: true, useWorker: false, showPrintMargin: false, printMarginColumn: 120,
  enableKeyboardAccessibility: true, fontSize: 14, scrollPastEnd: 0.3, wrap: true, indentedSoftWrap: false,
});
const dark = matchMedia("(prefers-color-scheme: dark)");
const colored = () => editor.setTheme(`ace/theme/cloud_editor${dark.matches ? "_dark" : ""}`);
dark.addEventListener("change", colored);
colored();
editor.commands.addCommand({ name: "test", bindKey: { win: "Ctrl-Enter", mac: "Command-Enter|Ctrl-Enter" }, exec: () => test() });

const sessions = new Map(); // Module -> its text with its own undo.

function sessionOf({ id, text }) {
  if (!sessions.has(id)) {
    const session = ace.createEditSession(kept(id)?.text ?? text, "ace/mode/python");
    session.setOptions({ tabSize: 4, useSoftTabs: true, useWorker: false });
    session.setUseWrapMode(true);
    session.on("change", () => {
      said(keep(id, session.getValue()));
      clearTimeout(timer);
      timer = setTimeout(test, PAUSE);
    });
    sessions.set(id, session);
  }
  return sessions.get(id);
}

const textOfFile = (one) => sessions.get(one.id)?.getValue() ?? kept(one.id)?.text ?? one.text;
const files = () => Object.fromEntries(course.modules.map((one) => [one.file, textOfFile(one)]));

// Marks the line of the shown failure.
function mark(record) {
  const line = record?.place?.file === module.file ? record.place.line : 0;
  const text = record?.report?.headline ?? "";
  editor.session.setAnnotations(line ? [{ row: line - 1, column: 0, text, type: isTodo(record) ? "info" : "error" }] : []);
}

// --- what is kept ------------------------------------------------------------------------------------------------------

function notice(name, ...content) {
  place("notices").querySelector(`[data-name="${name}"]`)?.remove();
  if (content.length) place("notices").append(el("p", { "data-name": name }, content));
}

const button = (text, action) => el("button", { type: "button", onclick: action }, text);
const when = (date) => new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" }).format(date);

function showKept(date) {
  const time = date && new Intl.DateTimeFormat("en", { timeStyle: "short" }).format(date);
  place("saved").replaceChildren(date ? el("span", { title: when(date) }, `kept ${time}`) : "not kept");
}

function said(problem) {
  showKept(problem ? null : Date.now());
  notice("storage", ...(problem ? [`Your work is not kept: ${problem}. Download your file before you close this page.`] : []));
}

function listVersions() {
  const versions = kept(module.id)?.versions ?? [];
  const name = ({ date, passed }) => `${when(date)}, ${passed} of ${module.exercises.length} exercises`;
  place("versions").replaceChildren(
    el("option", { value: "" }, "Earlier versions …"),
    ...versions.map((version, number) => el("option", { value: number }, name(version))),
    el("option", { value: "start" }, "As handed out"),
  );
}

const replaceText = (text) => editor.session.doc.setValue(text);

place("versions").addEventListener("change", ({ target }) => {
  const { value } = target;
  if (value) replaceText(value === "start" ? module.text : kept(module.id).versions[value].text);
  target.value = "";
  editor.focus();
});

function save(name, content, type) {
  const link = el("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

const fileName = () => module.file.split("/").pop();
place("download").addEventListener("click", () => save(fileName(), editor.getValue(), "text/x-python"));
place("open").addEventListener("click", () => place("chosen").click());
place("chosen").addEventListener("change", async ({ target }) => {
  if (target.files[0]) replaceText(await target.files[0].text());
  target.value = "";
});
watchOtherTabs(
  (id) => {
    const text = kept(id)?.text;
    if (id !== module.id || text === undefined || text === editor.getValue()) return;
    notice("tabs", `Another tab has changed ${fileName()}. `, button("Take its text", () => (replaceText(text), notice("tabs"))));
  },
  () => notice("tabs", "This page is open in another tab too, and both keep the same files. Go on in one of them."),
);

// --- testing -----------------------------------------------------------------------------------------------------------

const groupOf = (test) => test.split("::")[1];
const isTodo = (record) => record.error === "NotImplementedError";
const exerciseOf = (group) => module.exercises.find(({ groups }) => groups.includes(group));
const failureIn = (group) => tests.find(({ test, outcome }) => outcome === "failed" && groupOf(test) === group);

// Returns "passed", "failed", "todo", "running", "skipped" after an earlier failure, or "installed" if only an installation
// can test the group.
function stateOf(group) {
  const own = tests.filter(({ test }) => groupOf(test) === group);
  const failure = failureIn(group);
  if (failure) return isTodo(failure) ? "todo" : "failed";
  if (own.length < totals[group] || !own.length) return "running";
  if (own.some(({ outcome }) => outcome === "passed")) return "passed";
  return module.groups.some((other) => failureIn(other)) ? "skipped" : "installed";
}

const passes = ({ groups }) => groups.every((group) => ["passed", "installed"].includes(stateOf(group)));

let again = false; // Whether the file has changed since the run began that is not over.

async function test() {
  clearTimeout(timer);
  again = isBusy();
  if (again) return;
  const tested = module;
  const text = editor.getValue();
  let notLoaded = null;
  [tests, totals] = [[], {}];
  status("Testing …");
  place("stop").hidden = false;
  await send(() => ({ do: "run", module: tested.id, files: files() }), ({ line, ending, done }) => {
    if (tested !== module) return;
    if (line?.collected) totals[groupOf(line.collected)] = (totals[groupOf(line.collected)] ?? 0) + 1;
    if (line?.["not loaded"]) notLoaded = line["not loaded"];
    if (line?.test) tests.push(line);
    if (ending) tests.push(ending);
    if (ending === null) status("Stopped. Python starts again …");
    if (line?.test && line.outcome === "failed" && !failuresBefore(line)) showFailure(line);
    if (line?.test || done) showGroups();
  });
  place("stop").hidden = true;
  if (tested !== module) return test();
  finished(text, notLoaded);
  if (again) test();
}

// Says whether a failure comes before this one in the order of the exercises.
function failuresBefore({ test }) {
  const order = module.groups.indexOf(groupOf(test));
  return tests.some((other) => other.outcome === "failed" && other.test !== test && module.groups.indexOf(groupOf(other.test)) <= order);
}

function finished(text, notLoaded) {
  const first = tests.find(({ outcome }) => outcome === "failed");
  if (notLoaded) showFailure(notLoaded);
  else if (first) showFailure(first);
  const now = new Set(notLoaded ? passing : module.exercises.filter((one) => tests.length && passes(one)).map(({ name }) => name));
  const learned = module.exercises.filter(({ name }) => now.has(name) && !passing.has(name) && name);
  passing = now;
  said(keepVersion(module.id, text, now.size));
  listVersions();
  showGroups();
  if (!first && !notLoaded && tests.length) showComplete();
  place("report").prepend(...learned.map(({ name, lesson }) => el("p", { class: "learned" }, el("b", {}, `✓ ${name} now passes. `), lesson)));
  if (tests.length || notLoaded) status(`Tested ${when(Date.now())}`);
  redraw();
}

const status = (text) => (place("status").textContent = text);

place("run").addEventListener("click", test);
place("stop").addEventListener("click", stop);

// --- the report --------------------------------------------------------------------------------------------------------

// Shows a row of a report: a label, and a text that may be the address of a section.
function reportRow([label, text, isMistake]) {
  const isSection = /^docs\/\S+\.md#\S+$/.test(text.trim());
  const shown = isSection ? el("a", { href: `#${text.trim()}`, onclick: (event) => (event.preventDefault(), read(text.trim())) }, "the section on this mistake") : text.trim();
  if (!label) return el("p", { class: isMistake ? "mistake code" : "code" }, isSection ? shown : text);
  return el("dl", { class: isMistake ? "mistake" : null }, el("dt", {}, label.trim()), el("dd", {}, shown));
}

function showFailure(record) {
  const group = groupOf(record.test);
  const own = group && exerciseOf(group);
  if (own) showExercise(own);
  const name = own ? own.name : (group ?? fileName());
  const passed = own ? tests.filter(({ test, outcome }) => own.groups.includes(groupOf(test)) && outcome === "passed").length : 0;
  place("report").replaceChildren(
    el("h2", {}, isTodo(record) ? `Next: write ${name}` : `Failing: ${name}`),
    record.place?.file === module.file ? button(`Go to line ${record.place.line}`, () => goTo(record.place.line)) : "",
    group && !isTodo(record) ? note(`${counted(passed, "test")} of this exercise passed before this one.`) : "",
    ...record.rows.map(reportRow),
    record.printed ? el("details", { open: true }, el("summary", {}, "Printed"), el("pre", {}, record.printed)) : "",
  );
  mark(record);
}

function goTo(line) {
  editor.gotoLine(line, 8, false);
  editor.scrollToLine(line, true, false);
  editor.focus();
}

// Returns the line in which an exercise begins, in the current text.
const lineOf = (one) => editor.session.getLines(0, editor.session.getLength()).findIndex((line) => line.includes(`def ${one.name}(`)) + 1;

function showComplete() {
  mark(null);
  const installed = module.groups.filter((group) => stateOf(group) === "installed");
  const left = installed.length ? ` ${installed.join(" and ")} needs an installation of the course.` : "";
  place("report").replaceChildren(el("h2", {}, `All tests of module ${module.id} pass.`), el("p", {}, `Download ${fileName()} to hand it in.${left}`));
  showEnd();
}

const MARKS = { passed: "✓", failed: "✗", todo: "○", running: "·", skipped: "·", installed: "–" };
const SAYS = { passed: "passes", failed: "fails", todo: "not written", running: "not tested yet", skipped: "comes last", installed: "needs an installation" };

function showGroups() {
  const item = (group) => {
    const state = tests.length ? stateOf(group) : "running";
    const own = tests.filter(({ test, outcome }) => groupOf(test) === group && outcome === "passed").length;
    const count = totals[group] ? ` ${own} of ${totals[group]}` : "";
    const isCounted = state === "passed" || state === "failed" || state === "running";
    const failure = failureIn(group);
    const text = [el("b", {}, MARKS[state]), ` ${group}`, el("small", {}, isCounted ? count : ` ${SAYS[state]}`), isCounted ? el("span", { class: "skip" }, ` ${SAYS[state]}`) : ""];
    return el("li", { class: state }, failure ? button(text, () => showFailure(failure)) : el("span", {}, text));
  };
  place("progress").replaceChildren(el("ul", {}, module.groups.map(item)));
}

// --- the exercise ------------------------------------------------------------------------------------------------------

function showExercise(one) {
  if (exercise === one && place("exercise").dataset.name === one.qualified) return;
  exercise = one;
  place("exercise").dataset.name = one.qualified;
  const choose = el("select", { "aria-label": "Exercise", onchange: ({ target }) => (showExercise(module.exercises[target.value]), goTo(lineOf(exercise))) });
  choose.append(...module.exercises.map((other, number) => el("option", { value: number, selected: other === one }, other.qualified)));
  place("exercise").replaceChildren(
    el("h2", {}, choose),
    el("pre", { class: "docstring" }, el("b", {}, one.signature), "\n\n", one.docstring),
    el("p", { id: "hints" }),
    el("ul", { id: "reading" }),
  );
  showHints();
  listReading();
}

function showHints() {
  const { number: count = 0, text } = hints[exercise.qualified] ?? {};
  const list = exercise.hints.slice(0, count).map((hint, number) => el("p", {}, el("b", {}, `Hint ${number + 1} of ${exercise.hints.length}. `), hint));
  const ask = button(count ? "The next hint" : "A hint", () => {
    if (count && text === editor.getValue()) return place("hints").append(note("The next hint comes after another try: change your code first."));
    hints[exercise.qualified] = { number: count + 1, text: editor.getValue() };
    showHints();
  });
  place("hints").replaceChildren(...list, count < exercise.hints.length ? ask : "");
}

const pages = new Map();

// Returns a page of the handouts as a document, with the addresses of its pictures changed for this page.
async function pageOf(name) {
  if (!pages.has(name)) {
    const text = await (await fetch(name.replace(/\.md$/, ".html"))).text();
    const parsed = new DOMParser().parseFromString(text, "text/html");
    for (const picture of parsed.querySelectorAll("img, source"))
      for (const key of ["src", "srcset"]) if (picture.hasAttribute(key)) picture.setAttribute(key, `docs/${picture.getAttribute(key)}`);
    pages.set(name, parsed);
  }
  return pages.get(name);
}

const slug = (title) => title.toLowerCase().replace(/[^\w\- ]/g, "").replaceAll(" ", "-");

// Lists what to read before the exercise: the links in its row of the handout.
async function listReading() {
  const one = exercise;
  const handout = await pageOf(module.handout);
  const cell = [...handout.querySelectorAll("td:first-child")].find((found) => found.textContent.includes(`${one.name}(`));
  const links = [...(cell?.parentElement.querySelectorAll("a") ?? [])].map((link) => [link.textContent, module.handout + link.getAttribute("href")]);
  if (exercise !== one) return;
  const all = [...links, ["The handout", module.handout], ["The common mistakes", `${module.pitfalls}#pitfalls`]];
  place("reading").replaceChildren(...all.map(([text, target]) => el("li", {}, "Read: ", el("a", { href: `#${target}`, onclick: (event) => (event.preventDefault(), read(target)) }, text))));
}

// Shows a section of a page in place of the exercise: "docs/04-pitfalls.md#pitfall-barriers".
async function read(target) {
  const [name, anchor] = target.split("#");
  const page = await pageOf(name);
  const headings = [...page.querySelectorAll("h1, h2, h3")];
  const isMeant = (heading) => slug(heading.textContent) === anchor || heading.previousElementSibling?.querySelector(`[id="${anchor}"]`);
  const first = (anchor && headings.find(isMeant)) || headings[0];
  const level = Number(first.tagName[1]);
  const content = [first];
  for (let next = first.nextElementSibling; next && !(/^H[1-6]$/.test(next.tagName) && Number(next.tagName[1]) <= level); next = next.nextElementSibling) content.push(next);
  place("exercise").dataset.name = "";
  const article = el("article", {}, content.map((part) => document.importNode(part, true)));
  article.addEventListener("click", (event) => {
    const href = event.target.closest("a")?.getAttribute("href") ?? "";
    const [path, section] = href.split("#");
    if (!href || /^\w+:/.test(href)) return;
    event.preventDefault();
    const other = path ? `docs/${path}` : name;
    if ([...modules.values()].some(({ handout, pitfalls }) => [handout, pitfalls].includes(other))) read(`${other}#${section ?? ""}`);
  });
  place("exercise").replaceChildren(button("Back to the exercise", () => showExercise(exercise)), article);
  place("exercise").scrollTop = 0;
  place("exercise").querySelector("button").focus();
}

// --- the views of the lab, and training ----------------------------------------------------------------------------------

const SIZE = 512;
let redraw = () => {}; // Asks for everything in the view that is open again.

// Gives the views what the student's code returns (views.py), or what the lab's scripts compute as long as it is a TODO.
const source = {
  get tokenizers() {
    return [{ name: "table", title: trained ? "your tokenizer" : "small (1,000 tokens)" }];
  },
  async train(text, pattern, steps) {
    const { states, ...ended } = await ask({ do: "merge", text, pattern, steps });
    return { ...(states ? studentsStates(states) : trainingStates(text, pattern, steps)), ...ended };
  },
  async rounds(_, text) {
    const { ids, ...ended } = await ask({ do: "encode", text, table: trained ?? small });
    return { ...roundsOf(tokenizerOf(trained ?? small), text), own: ids, ...ended };
  },
};

async function ask(message) {
  let answer = { stopped: { title: "Python was stopped.", report: "" } };
  await send(() => ({ ...message, files: files() }), (event) => (answer = event.answer ?? answer));
  if (again) test();
  return answer;
}

// Shows a view with the lab's style, which does not reach the rest of the page.
async function openView(name) {
  place("lab").replaceChildren(el("div"));
  const [main, said] = [el("main"), el("p", { class: "skip", role: "status" })];
  place("lab").firstChild.attachShadow({ mode: "open" }).append(el("link", { rel: "stylesheet", href: `lab.css${version}` }), main, said);
  redraw = await showView(main, said, VIEWS[name], {}, source);
}

// Offers the views at any time, and training when module 04 is complete.
function showEnd() {
  const canTrain = module.id === "04" && tests.length > 0 && module.exercises.every(passes);
  place("training").replaceChildren(canTrain ? button(`Train on ${course.corpus}`, train) : "");
}

place("merge").addEventListener("click", () => openView("merge"));
place("encode").addEventListener("click", () => openView("encode"));

async function train() {
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Training" });
  const text = el("p", { role: "status" }, "Python starts to train …");
  place("training").replaceChildren(bar, text, button("Stop", stop));
  await send(() => ({ do: "train", size: SIZE, files: files() }), ({ progress, trained: made, ending, problem }) => {
    if (progress) {
      bar.value = progress.done / progress.total;
      const left = Math.round((progress.seconds / progress.done) * (progress.total - progress.done));
      text.textContent = `${progress.done} of ${progress.total} merges, the newest ${progress.newest}; ${left} s left. 4,096 tokens would take ${Math.ceil(((progress.seconds / progress.done) * 3832) / 60)} minutes at this pace.`;
    }
    if (ending !== undefined || problem) text.textContent = problem?.title ?? "Training was stopped.";
    if (made) {
      const give = button("Download tokenizer.json", () => save("tokenizer.json", made.file, "application/json"));
      trained = made.table;
      place("training").replaceChildren(el("p", {}, `Your tokenizer has ${SIZE} tokens. The Encode view below encodes with it; Hugging Face's tokenizers reads its file.`), give);
      openView("encode");
    }
  });
  if (again) test();
}

// --- the beginning -----------------------------------------------------------------------------------------------------

function open(id) {
  module = modules.get(id);
  history.replaceState(null, "", `#${id}`);
  [tests, totals, passing] = [[], {}, new Set()];
  document.title = `g2c: ${module.title}`;
  place("file").textContent = fileName();
  editor.setSession(sessionOf(module));
  editor.textInput.getElement().setAttribute("aria-label", `${fileName()}, your file`);
  listVersions();
  showExercise(module.exercises[0]);
  editor.scrollToLine(lineOf(exercise) - 1, false, false);
  showGroups();
  showEnd();
  place("report").replaceChildren(el("h2", {}, "The report"), note("The tests run as soon as Python is loaded."));
  const entry = kept(id);
  if (entry) showKept(entry.date);
  test();
}

place("module").append(
  ...course.modules.map(({ id, title }) => el("option", { value: id, selected: id === module.id }, `${id} ${title}`)),
  ...course.installed.map((name) => el("option", { disabled: true }, `${name}: needs an installation`)),
);
place("module").addEventListener("change", ({ target }) => open(target.value));

const began = performance.now();
start((event) => {
  if (event === "loading") return status("Python is loading. You can already type.");
  if (event.failed) return status(`Python did not start: ${event.failed}. Reload the page, or use another browser.`);
  const { python, unicode, library } = event.ready;
  const differs = unicode === library ? "" : ` Your browser splits texts by Unicode ${unicode || "14 or older"}, an installation by Unicode ${library}.`;
  status(`Python ${python} is ready, after ${((performance.now() - began) / 1000).toFixed(1)} s.${differs}`);
});
open(module.id);
editor.focus();
document.documentElement.dataset.ready = "true";

// The page: an exercise, the file, the report, the groups. Python runs in a worker (python.js, session.py) and writes the
// rows of a report. What a course adds at the end of the page is in course.js.

import { addTo } from "./course.js";
import { button, counted, el, fill, note } from "./elements.js";
import { isBusy, send, start, stop } from "./python.js";
import { keep, keepVersion, kept } from "./store.js";

const PAUSE = 1000; // Milliseconds without a key after which the file is tested.
const place = (id) => document.getElementById(id);
const version = new URL(import.meta.url).search;
const course = await (await fetch(`course.json${version}`)).json();
const modules = new Map(course.modules.map((module) => [module.id, module]));

let module = modules.get(location.hash.slice(1)) ?? course.modules[0];
let exercise = module.exercises[0];
let tests = []; // The records of the last run, in the order of the exercises.
let totals = {}; // Test group -> how many tests it has.
let passing = new Set(); // Exercises that passed when they were last tested.
let timer = null;
let again = false; // Whether the file has changed since the run began that is not over.
const hints = new Map(); // Exercise -> how many of its hints were shown.

// --- the editor --------------------------------------------------------------------------------------------------------

const { ace } = window;
ace.config.set("basePath", "ace-builds");
const editor = ace.edit("editor", { showPrintMargin: false, scrollPastEnd: 0.3, enableKeyboardAccessibility: true });
const dark = matchMedia("(prefers-color-scheme: dark)");
const colored = () => editor.setTheme(`ace/theme/cloud_editor${dark.matches ? "_dark" : ""}`);
dark.addEventListener("change", colored);
colored();
editor.commands.addCommand({ name: "test", bindKey: { win: "Ctrl-Enter", mac: "Command-Enter|Ctrl-Enter" }, exec: () => test() });

const sessions = new Map(); // Module -> its text with its own undo.

function sessionOf({ id, text, exercises }) {
  if (!sessions.has(id)) {
    const session = ace.createEditSession(kept(id)?.text ?? text, "ace/mode/python");
    session.setOptions({ tabSize: 4, useSoftTabs: true, useWorker: false, wrap: true });
    fold(session, exercises);
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
const fileName = () => module.file.split("/").pop();

function replaceText(text) {
  editor.session.doc.setValue(text);
  fold(editor.session, module.exercises);
}

// Returns the line in which an exercise begins, in the current text.
function lineOf({ name, qualified }, text = editor.session.doc.getAllLines()) {
  const ofClass = text.findIndex((line) => line.startsWith(`class ${qualified.split(".")[0]}`));
  return text.findIndex((line, row) => row > ofClass && line.includes(`def ${name}(`)) + 1;
}

// Folds the docstrings of exercises, so that the TODOs are in view. The panel beside the editor shows them.
function fold(session, exercises) {
  const text = session.doc.getAllLines();
  for (const one of exercises) {
    const first = text.findIndex((line, row) => row >= lineOf(one, text) && line.includes('"""'));
    const last = text.findIndex((line, row) => row > first && line.endsWith('"""'));
    const isWhole = first >= 0 && last > first && one.docstring.startsWith(text[first].trim().slice(3));
    if (isWhole) session.addFold(" …", new ace.Range(first, text[first].length, last, text[last].length));
  }
}

function goTo(line) {
  editor.gotoLine(line, 8, false);
  editor.scrollToLine(line, true, false);
  editor.focus();
}

// Marks the line of a failure.
function mark(record) {
  const line = record?.place?.file === module.file ? record.place.line : 0;
  const text = record?.report?.headline ?? "";
  editor.session.setAnnotations(line ? [{ row: line - 1, column: 0, text, type: isTodo(record) ? "info" : "error" }] : []);
}

// --- what is kept ------------------------------------------------------------------------------------------------------

const status = (text) => (place("status").textContent = text);
const format = (options) => (date) => new Intl.DateTimeFormat("en", options).format(date);
const when = format({ dateStyle: "medium", timeStyle: "short" });
const timeOf = format({ timeStyle: "short" });

// Says whether the text was kept.
function said(isKept, date = Date.now()) {
  fill(place("saved"), isKept ? `kept ${timeOf(date)}` : "not kept");
  const problem = "Your work is not kept: the browser's storage for this site is full, or forbidden.";
  fill(place("notices"), !isKept && el("p", {}, problem, " Download your file before you close this page."));
}

function listVersions() {
  const name = ({ date, passed }) => `${when(date)}, ${passed} of ${module.exercises.length} exercises`;
  const versions = kept(module.id)?.versions ?? [];
  const options = versions.map((version, number) => el("option", { value: number }, name(version)));
  fill(place("versions"), el("option", { value: "" }, "Earlier versions …"), options, el("option", { value: "start" }, "As handed out"));
}

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

place("download").addEventListener("click", () => save(fileName(), editor.getValue(), "text/x-python"));
place("open").addEventListener("click", () => place("chosen").click());
place("chosen").addEventListener("change", async ({ target }) => {
  const [file] = target.files;
  if (file) replaceText(await file.text());
  target.value = "";
});

// --- testing -----------------------------------------------------------------------------------------------------------

const groupOf = (test) => test.split("::")[1]; // None if the file could not be imported.
const isFailure = ({ outcome }) => outcome === "failed";
const isTodo = (record) => record.error === "NotImplementedError";

// Returns the state of some test groups, their first failure, and how many of their tests passed, of how many. The state is
// "passed", "failed", "todo", "running", "skipped" after a failure in another group, or "installed" if only an installation
// can run the tests.
function resultOf(groups) {
  const own = tests.filter(({ test }) => groups.includes(groupOf(test)));
  const failure = own.find(isFailure);
  const passed = own.filter(({ outcome }) => outcome === "passed").map(({ test }) => groupOf(test));
  const total = groups.reduce((sum, group) => sum + (totals[group] ?? 0), 0);
  let state = "running";
  if (failure) state = isTodo(failure) ? "todo" : "failed";
  else if (total && own.length >= total) {
    const isWhole = groups.every((group) => passed.includes(group)) || !tests.some(isFailure);
    state = !isWhole ? "skipped" : passed.length ? "passed" : "installed";
  }
  return { state, failure, passed: passed.length, total };
}

const passes = ({ groups }) => ["passed", "installed"].includes(resultOf(groups).state);

async function test() {
  clearTimeout(timer);
  again = isBusy();
  if (again) return;
  const tested = module;
  let text = "";
  [tests, totals] = [[], {}];
  const begin = () => {
    place("stop").hidden = false;
    again = false;
    status("Testing …");
    text = editor.getValue();
    return { do: "run", module: tested.id, files: files() };
  };
  await send(begin, (event) => tested === module && hear(event));
  place("stop").hidden = true;
  if (tested !== module) return test();
  finished(text);
  if (again) test();
}

function hear({ line, ending }) {
  if (line?.collected) totals[groupOf(line.collected)] = (totals[groupOf(line.collected)] ?? 0) + 1;
  const record = line?.["not loaded"] ?? (line?.test ? line : ending);
  if (ending === null) status("Stopped. Python starts again …");
  if (!record) return;
  tests.push(record);
  if (tests.find(isFailure) === record) showFailure(record);
  showProgress();
}

function finished(text) {
  const first = tests.find(isFailure);
  const isLoaded = !first || groupOf(first.test) !== undefined;
  const before = passing;
  if (isLoaded) passing = new Set(module.exercises.filter(passes));
  said(keepVersion(module.id, text, passing.size));
  listVersions();
  showProgress();
  if (!first && module.exercises.every(passes)) showComplete();
  const learned = [...passing].filter((one) => !before.has(one));
  place("report").prepend(...learned.map(({ name, lesson }) => el("p", { class: "learned" }, el("b", {}, `✓ ${name} now passes. `), lesson)));
  if (tests.length) status(`Tested ${when(Date.now())}`);
  added.tested();
}

place("run").addEventListener("click", test);
place("stop").addEventListener("click", stop);

// --- the report --------------------------------------------------------------------------------------------------------

// Makes a link to a section of the handouts, such as "docs/04-pitfalls.md#pitfall-barriers".
function sectionLink(text, target) {
  const href = target.replace(".md", ".html");
  return el("a", { href, onclick: (event) => (event.preventDefault(), read(href)) }, text);
}

// Shows a row of a report: a label, and a text that may be the address of a section.
function reportRow([label, text, isMistake]) {
  const trimmed = text.trim();
  const isSection = /^docs\/\S+\.md#\S+$/.test(trimmed);
  const link = isSection && sectionLink("the section on this mistake", trimmed);
  if (!label) return el("p", { class: isMistake ? "mistake code" : "code" }, link || text);
  return el("dl", { class: isMistake ? "mistake" : null }, el("dt", {}, label.trim()), el("dd", {}, link || trimmed));
}

function showFailure(record) {
  const group = groupOf(record.test);
  const own = module.exercises.find(({ groups }) => groups.includes(group));
  if (own && own !== exercise) showExercise(own);
  const name = own?.name ?? group ?? fileName();
  const { passed } = resultOf(own?.groups ?? []);
  fill(
    place("report"),
    el("h2", {}, isTodo(record) ? `Next: write ${name}` : `Failing: ${name}`),
    record.place?.file === module.file && button(`Go to line ${record.place.line}`, () => goTo(record.place.line)),
    group && !isTodo(record) && note(`${counted(passed, "test")} of this exercise passed before this one.`),
    record.rows.map(reportRow),
    record.printed && el("details", { open: true }, el("summary", {}, "Printed"), el("pre", {}, record.printed)),
  );
  mark(record);
}

function showComplete() {
  mark(null);
  const left = tests.filter(({ outcome }) => outcome === "skipped").map(({ test }) => test.split("::").slice(1).join("::"));
  const { purpose, command } = module.milestone;
  fill(
    place("report"),
    el("h2", {}, `All tests of module ${module.id} ${left.length ? "that can run in a page " : ""}pass.`),
    el("p", {}, `Download ${fileName()} to hand it in.`),
    left.length > 0 && el("p", {}, `Not tested here, but by an installation of the course: ${left.join(", ")}.`),
    command && el("p", {}, `Next, in an installation, ${purpose}: `, el("code", {}, command)),
  );
  added.opened(module.id, true);
}

// State of a group -> its mark, and what it says. Of the first three, the number of tests that passed is shown.
const STATES = {
  passed: ["✓", "passes"], failed: ["✗", "fails"], running: ["·", "not tested yet"],
  todo: ["○", "not written"], skipped: ["·", "comes last"], installed: ["–", "needs an installation"],
};

// Shows the exercises in a row, and what tests of all of them together say.
function showProgress() {
  const item = ({ name, groups }) => {
    const { state, failure, passed, total } = resultOf(groups);
    const [mark, says] = STATES[state];
    const isCounted = ["passed", "failed", "running"].includes(state);
    const count = total ? ` ${passed} of ${total}` : "";
    const text = [el("b", {}, mark), ` ${name}`, el("small", {}, isCounted ? count : ` ${says}`), isCounted && el("span", { class: "skip" }, ` ${says}`)];
    return el("li", { class: state }, failure ? button(text, () => showFailure(failure)) : el("span", {}, text));
  };
  const together = module.groups.filter((group) => !module.exercises.some(({ groups }) => groups.includes(group)));
  fill(place("progress"), el("ul", {}, module.exercises.map(item), item({ name: "all together", groups: together })));
}

// --- the exercise ------------------------------------------------------------------------------------------------------

function showExercise(one) {
  exercise = one;
  place("exercise").scrollTop = 0;
  const onchange = ({ target }) => (showExercise(module.exercises[target.value]), goTo(lineOf(exercise)));
  const options = module.exercises.map((other, number) => el("option", { value: number, selected: other === one }, other.qualified));
  const reading = [...one.reading, ["The handout", module.handout], ["The common mistakes", `${module.pitfalls}#pitfalls`]];
  const hinted = el("p");
  fill(
    place("exercise"),
    el("h2", {}, el("select", { "aria-label": "Exercise", onchange }, options)),
    el("pre", { class: "docstring" }, el("b", {}, one.signature), "\n\n", one.docstring),
    hinted,
    el("ul", {}, reading.map(([text, target]) => el("li", {}, "Read: ", sectionLink(text, target)))),
  );
  showHints(one, hinted);
}

function showHints({ qualified, hints: all }, hinted, count = hints.get(qualified) ?? 0) {
  hints.set(qualified, count);
  const list = all.slice(0, count).map((hint, number) => el("p", {}, el("b", {}, `Hint ${number + 1} of ${all.length}\n`), hint));
  const next = button(count ? "The next hint" : "A hint", () => showHints({ qualified, hints: all }, hinted, count + 1));
  fill(hinted, list, count < all.length && next);
}

// Shows a handout in place of the exercise, until the student goes back or another exercise fails.
function read(address) {
  const back = button("Back to the exercise", () => showExercise(exercise));
  fill(place("exercise"), back, el("iframe", { src: address, title: "The handout" }));
  back.focus();
}

// --- what the course adds ----------------------------------------------------------------------------------------------

// Asks Python for something that only this course has, and calls `on` with everything that is posted.
async function ask(message, on) {
  await send(() => ({ ...message, files: files() }), on);
  if (again) test();
}

const added = await addTo(place("end"), { ask, save, stop, version });

// --- the beginning -----------------------------------------------------------------------------------------------------

function open(id) {
  module = modules.get(id);
  history.replaceState(null, "", `#${id}`);
  [tests, totals, passing] = [[], {}, new Set()];
  document.title = `${course.program}: ${module.title}`;
  place("file").textContent = fileName();
  editor.setSession(sessionOf(module));
  editor.textInput.getElement().setAttribute("aria-label", `${fileName()}, your file`);
  listVersions();
  showExercise(module.exercises[0]);
  editor.resize(true); // Wraps the lines, on which the place of the exercise depends.
  editor.scrollToLine(lineOf(exercise) - 1, false, false);
  showProgress();
  added.opened(module.id, false);
  fill(place("report"), el("h2", {}, "The report"), note("The tests run as soon as Python is loaded."));
  const entry = kept(id);
  if (entry) said(true, entry.date);
  test();
}

fill(
  place("module"),
  course.modules.map(({ id, title }) => el("option", { value: id, selected: id === module.id }, `${id} ${title}`)),
  course.installed.map((name) => el("option", { disabled: true }, `${name}: needs an installation`)),
);
place("module").addEventListener("change", ({ target }) => open(target.value));

start(status);
open(module.id);
editor.focus();
document.documentElement.dataset.ready = "true";

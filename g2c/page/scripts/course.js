// Views of the lab, which show training and encoding by the student's code, and training on a corpus.

import { button, el, fill } from "./elements.js";
import { roundsOf, statesOf, tokenizerOf, trainingStates } from "./tokenizer.js";
import { showView, VIEWS } from "./views.js";

const SIZE = 512;
const [training, lab] = [el("div", { id: "training" }), el("div", { id: "lab" })];
let page = null; // What the page offers: see addTo.
let data = null; // {corpus, patterns, small}, see g2c/page/added.py.
let trained = null; // The table of the tokenizer that was trained.
let redraw = () => {}; // Asks for everything in the view that is open again.

// Fills the section at the end of the page: see coach/page/files/course.js.
export async function addTo(section, offered) {
  page = offered;
  data = await (await fetch(`course-data.json${page.version}`)).json();
  const opener = (id, text) => el("button", { type: "button", id, onclick: () => openView(id) }, text);
  const merge = opener("merge", "Merge: train step by step, by your code");
  const encode = opener("encode", "Encode: round by round");
  section.setAttribute("aria-label", "Your tokenizer at work");
  fill(section, el("div", { class: "bar" }, el("h2", {}, "See it work"), merge, encode), training, lab);
  return { opened, tested: () => redraw() };
}

const offer = () => button(`Train on ${data.corpus}`, train);

// Offers training once module 04 is complete. What was trained stays.
function opened(module, isComplete) {
  training.hidden = module !== "04";
  if (module === "04" && isComplete && !training.hasChildNodes()) fill(training, offer());
}

// Gives the views what the student's code returns (views.py), or what the lab's scripts compute as long as it is a TODO.
const source = {
  get patterns() {
    return data.patterns;
  },
  get tokenizers() {
    return [{ name: "table", title: trained ? "your tokenizer" : "small (1,000 tokens)" }];
  },
  async train(text, pattern, steps) {
    const { states, ...ended } = await answerTo({ do: "merge", text, pattern, steps });
    return { ...(states ? statesOf(states) : trainingStates(text, data.patterns[pattern], steps)), ...ended };
  },
  async rounds(_, text) {
    const { ids, ...ended } = await answerTo({ do: "encode", text, table: trained ?? data.small });
    return { ...roundsOf(tokenizerOf(trained ?? data.small), text), own: ids, ...ended };
  },
};

async function answerTo(message) {
  let answer = { stopped: { title: "Python was stopped.", report: "" } };
  await page.ask(message, (event) => (answer = event.answer ?? answer));
  return answer;
}

// Shows a view with the lab's style, which does not reach the rest of the page.
async function openView(name) {
  const [box, main, said] = [el("div"), el("main"), el("p", { class: "skip", role: "status" })];
  fill(lab, box);
  box.attachShadow({ mode: "open" }).append(el("link", { rel: "stylesheet", href: `lab.css${page.version}` }), main, said);
  redraw = await showView(main, said, VIEWS[name], {}, source);
}

async function train() {
  const bar = el("progress", { max: 1, value: 0, "aria-label": "Training" });
  const text = el("p", { role: "status" }, "Python starts to train …");
  fill(training, bar, text, button("Stop", page.stop));
  await page.ask({ do: "train", size: SIZE }, ({ progress, trained: made, ending, problem }) => {
    if (progress) {
      const { done, total, newest, seconds } = progress;
      const [left, more] = [(seconds / done) * (total - done), ((seconds / done) * 3832) / 60];
      bar.value = done / total;
      text.textContent = `${done} of ${total} merges, the newest ${newest}; ${Math.round(left)} s left. 4,096 tokens would take ${Math.ceil(more)} minutes at this pace.`;
    }
    if (ending !== undefined || problem) fill(training, el("p", { role: "status" }, problem?.title ?? "Training was stopped."), offer());
    if (made) showTrained(made);
  });
}

function showTrained({ file, table }) {
  trained = table;
  const sentence = `Your tokenizer has ${SIZE} tokens. The Encode view below encodes with it; Hugging Face's tokenizers reads its file.`;
  fill(training, el("p", {}, sentence), button("Download tokenizer.json", () => page.save("tokenizer.json", file, "application/json")));
  openView("encode");
}

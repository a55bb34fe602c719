// Where the views get what they show. It follows from the tables of tokenizers, by tokenizer.js. An exported page holds its
// tables; the page of `g2c lab` gets them from the server, which runs the student's code besides. With what follows from the
// tables this page checks what that code returns, and shows it in its place as long as the code is a TODO.

const settings = JSON.parse(document.getElementById("data").textContent);
const YOURS = "yours"; // The student's encode, with the table of the tokenizer listed after it.

const ask = (question, details = {}) =>
  answerTo(`/api/${question}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(details) });

async function answerTo(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new Problem("The lab has stopped.", "Start it again with `g2c lab`, and open the address that it prints.");
  }
  const answer = await response.json().catch(() => ({}));
  if (answer.problem) throw new Problem(answer.problem.title, answer.problem.report, answer.problem.todo);
  if (!response.ok) throw new Problem("The lab did not answer.", `Status ${response.status}.`);
  return answer;
}

// The result of `get()`, which is called once for each name; again after a failure.
function kept(results, name, get) {
  if (!results.has(name)) {
    results.set(name, get());
    results.get(name).catch(() => results.delete(name));
  }
  return results.get(name);
}

const [loaded, corpora, versions] = [new Map(), new Map(), new Map()];
const loadedTokenizer = (name) =>
  kept(loaded, name, async () => {
    // A browser keeps what it got from the same address.
    const address = `/table?${new URLSearchParams({ tokenizer: name, version: versions.get(name) })}`;
    return tokenizerOf(settings.tables?.[name] ?? (await answerTo(address)));
  });
const corpusOf = (name) => kept(corpora, name, async () => (source.exported ? settings.corpora[name] : (await ask("corpus", { tokenizer: name })).corpus));
const handout = unigramOf(settings.handout); // The vocabulary of the view Lattice.

// For each text the parts that no merge crosses. The server splits what this page cannot.
async function partsOf(name, texts, ordinary = false) {
  const tokenizer = await loadedTokenizer(name);
  if (tokenizer.canSplit) return texts.map((text) => splitText(tokenizer, text, ordinary));
  return (await ask("parts", { tokenizer: name, texts, ordinary })).parts;
}

// What `read` makes of the answer of the student's code; `right` in an exported page, and as long as the code is a TODO.
async function studentsOr(right, question, details, read) {
  if (source.exported) return right;
  const answer = await attempt(() => ask(question, details));
  if (answer.problem?.todo) return { ...right, todo: answer.problem.message };
  if (answer.problem) throw answer.problem;
  return read(answer);
}

const source = {
  exported: Boolean(settings.tables),
  missing: [], // The published tokenizers whose tables are not here.

  async tokenizers() {
    if (source.exported) return Object.keys(settings.tables).map((name) => ({ name, title: name }));
    const { tokenizers, missing } = await ask("tokenizers");
    source.missing = missing;
    for (const { name, version } of tokenizers) versions.set(name, version);
    return tokenizers;
  },

  // The IDs of texts. For the student's encode, `expected` has the IDs that it should return.
  async encode({ tokenizer: name, texts, ordinary }) {
    const { merges, tokens } = await loadedTokenizer(name);
    const right = (await partsOf(name, texts, ordinary)).map((parts) => parts.flatMap((part) => mergeAll(merges, part)));
    if (name !== YOURS) return { ids: right, tokens };
    const { ids } = await ask("encode", { tokenizer: name, texts });
    return { ids, expected: right, tokens };
  },

  // Which tokens are merged into which, which merge made this one, and how often the corpus has it.
  async token({ tokenizer: name, id }) {
    const [{ made, tokens }, corpus] = [await loadedTokenizer(name), await corpusOf(name)];
    return { made, tokens, merge: [...made.keys()].indexOf(id) + 1, corpus: corpus?.name, count: corpus && (corpus.counts[id] ?? 0) };
  },

  // Every round of encoding a text, from the merges, and what the student's encode makes of it.
  async rounds({ tokenizer: name, text }) {
    const { merges, tokens } = await loadedTokenizer(name);
    const rounds = encodingRounds(merges, (await partsOf(name, [text]))[0]);
    const own = source.exported ? {} : await attempt(() => ask("encode", { tokenizer: name, texts: [text] }));
    return { rounds, tokens, result: own.ids ? own.ids[0] : rounds.at(-1).ids, problem: own.problem };
  },

  // Training step by step; `wrong` is the first step at which the student's code differs from right training.
  async train({ text, steps, pattern }) {
    const right = trainingStates(trainingIds(text, REGEXES[pattern]), steps);
    return studentsOr(right, "train", { text, steps, pattern }, ({ states: found, vocab }) => {
      const states = found.map(({ ids, counts, chosen }, step) => trainingState(ids, counts, chosen && [...chosen, 256 + step]));
      const tokens = Object.fromEntries(Object.entries(vocab).map(([id, bytes]) => [id, { bytes, special: false }]));
      const compared = (state, tokens) => state && [state.ids, state.pairs, state.chosen, state.chosen && tokens[state.chosen[3]]];
      const wrong = right.states.findIndex((state, step) => !same(compared(state, right.tokens), compared(states[step], tokens)));
      return { states, tokens, wrong: wrong < 0 ? null : wrong };
    });
  },

  // The learned tokens that the corpus does not have.
  async unused({ tokenizer: name }) {
    const [{ made, tokens }, corpus] = [await loadedTokenizer(name), await corpusOf(name)];
    if (!corpus) return { corpus: null };
    const ids = [...made.keys()].filter((id) => !corpus.counts[id]);
    return { corpus: corpus.name, ids: ids.slice(0, UNUSED_SHOWN), count: ids.length, of: made.size, tokens };
  },

  // The lattice of a text with the vocabulary of the handout; in `g2c lab` with the best path that the student's code finds.
  async lattice({ text }) {
    const right = latticeOf(handout, text);
    return studentsOr(right, "lattice", { text }, ({ tokens, loss }) => {
      return { ...right, edges: alongPath(handout, right.edges, tokens), tokens, loss, highest: -right.loss };
    });
  },
};

// Calls `saved()` after every save of an exercise file.
function watchExerciseFiles(saved) {
  let seen = "";
  setInterval(async () => {
    const response = await fetch("/saves").catch(() => null); // The lab may have ended.
    const found = response?.ok ? await response.text() : "";
    if (seen && found && found !== seen) saved();
    seen = found || seen;
  }, 300);
}

// Gives the views their data, which tokenizer.js computes from the tables of tokenizers. An exported page contains its tables;
// the page of `g2c lab` gets them from the server, which also runs the student's code; in the page of the course, that page's
// worker answers in place of the server. This page compares the student's results with its own, and shows its own as long
// as the code is a TODO.

const settings = JSON.parse(document.getElementById("data").textContent);
const YOURS = "yours"; // The student's encode, with the table of the tokenizer listed after it.

const ask = (question, details = {}) =>
  answerTo(`/api/${question}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(details) });

async function answerTo(address, options) {
  const answer = settings.page ? await parent.answerTo(address, options) : await serverAnswer(address, options);
  if (answer.problem) throw new Problem(answer.problem.title, answer.problem.report, answer.problem.todo);
  return answer;
}

async function serverAnswer(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch {
    throw new Problem("The lab has stopped.", "Start it again with g2c lab, and open the address that it prints.");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok && !answer.problem) throw new Problem("The lab did not answer.", `Status ${response.status}.`);
  return answer;
}

// Returns the result of `get()`, which is called once for each name, and again after a failure.
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
    // A browser caches the answer of the same address.
    const address = `/table?${new URLSearchParams({ tokenizer: name, version: versions.get(name) })}`;
    return tokenizerOf(settings.tables?.[name] ?? (await answerTo(address)));
  });
const corpusOf = (name) => kept(corpora, name, async () => (source.exported ? settings.corpora[name] : (await ask("corpus", { tokenizer: name })).corpus));
const handout = unigramOf(settings.handout); // The vocabulary of the view Lattice.

// Splits each text into the parts that no merge crosses. The server splits texts that this page cannot.
async function partsOf(name, texts, ordinary = false) {
  const tokenizer = await loadedTokenizer(name);
  if (tokenizer.canSplit) return texts.map((text) => splitText(tokenizer, text, ordinary));
  return (await ask("parts", { tokenizer: name, texts, ordinary })).parts;
}

// Applies `read` to the answer of the student's code. Returns `right` in an exported page or if the code is a TODO.
async function studentsOr(right, question, details, read) {
  if (source.exported) return right;
  const answer = await attempt(() => ask(question, details));
  if (answer.problem?.todo) return { ...right, todo: answer.problem.message };
  if (answer.problem) throw answer.problem;
  return read(answer);
}

const source = {
  exported: Boolean(settings.tables),
  hasHash: Boolean(settings.tables || settings.page), // No server knows its addresses.
  missing: [], // The published tokenizers whose tables are not here.

  async tokenizers() {
    if (source.exported) return Object.keys(settings.tables).map((name) => ({ name, title: name }));
    const { tokenizers, missing } = await ask("tokenizers");
    source.missing = missing;
    for (const { name, version } of tokenizers) versions.set(name, version);
    return tokenizers;
  },

  // Returns the IDs of texts. For the student's encode, `expected` has the IDs that it should return.
  async encode({ tokenizer: name, texts, ordinary }) {
    const { merges, tokens } = await loadedTokenizer(name);
    const right = (await partsOf(name, texts, ordinary)).map((parts) => parts.flatMap((part) => mergeAll(merges, part)));
    if (name !== YOURS) return { ids: right, tokens };
    const { ids } = await ask("encode", { tokenizer: name, texts });
    return { ids, expected: right, tokens };
  },

  // Returns which tokens are made of which, the merge that made this one, and how often the corpus has it.
  async token({ tokenizer: name, id }) {
    const [{ made, tokens }, corpus] = [await loadedTokenizer(name), await corpusOf(name)];
    return { made, tokens, merge: [...made.keys()].indexOf(id) + 1, corpus: corpus?.name, count: corpus && (corpus.counts[id] ?? 0) };
  },

  // Returns every round of encoding a text, from the merges, and the result of the student's encode.
  async rounds({ tokenizer: name, text }) {
    const { merges, tokens } = await loadedTokenizer(name);
    const rounds = encodingRounds(merges, (await partsOf(name, [text]))[0]);
    const own = source.exported ? {} : await attempt(() => ask("encode", { tokenizer: name, texts: [text] }));
    return { rounds, tokens, result: own.ids ? own.ids[0] : rounds.at(-1).ids, problem: own.problem };
  },

  // Trains step by step. Each state has a sentence on the pair that is merged next; states of the student's code also have
  // `faults`: sentences on what the code did at this step that it should not have done with these IDs.
  async train({ text, steps, pattern }) {
    const right = trainingStates(trainingIds(text, REGEXES[pattern] ?? []), steps);
    for (const [step, state] of right.states.entries()) state.why = step === steps ? NO_MORE : whyChosen(pairCounts(state.ids));
    return studentsOr(right, "train", { text, steps, pattern }, ({ states: found }) => judgedTraining(found, steps));
  },

  // Returns the learned tokens that do not occur in the corpus.
  async unused({ tokenizer: name }) {
    const [{ made, tokens }, corpus] = [await loadedTokenizer(name), await corpusOf(name)];
    if (!corpus) return { corpus: null };
    const ids = [...made.keys()].filter((id) => !corpus.counts[id]);
    return { corpus: corpus.name, ids: ids.slice(0, UNUSED_SHOWN), count: ids.length, of: made.size, tokens };
  },

  // Returns the tokens of a text, and those that the student's language model expects after it.
  async predict({ tokenizer, text, n }) {
    const { ids, tokens } = await source.encode({ tokenizer, texts: [text] });
    const answer = await attempt(() => ask("predict", { tokenizer, ids: ids[0].slice(-n), n }));
    return { ids: ids[0], tokens, ...answer };
  },

  // Returns the lattice of a text with the handout's vocabulary, and the best path, in `g2c lab` that of the student's code.
  async lattice({ text }) {
    const right = latticeOf(handout, text);
    return studentsOr(right, "lattice", { text }, ({ tokens, loss }) => {
      return { ...right, edges: alongPath(handout, right.edges, tokens), tokens, loss, best: right };
    });
  },
};

// --- what the student's code did, and what it should have done ----------------------------------------------------------

const NO_MORE = "The lab shows no more steps.";

const pairText = (tokens, [left, right]) => `${textOf(tokens, left)} + ${textOf(tokens, right)}`;
const occurs = (times) => (times ? `occurs ${counted(times, "time")}` : "does not occur");
const timesOf = (counts, pair) => counts.find((one) => samePair(one, pair))?.[2] ?? 0;

// Says why this pair is merged, from the right counts.
function whyChosen(counts) {
  const best = mostFrequent(counts);
  if (!best) return "No pair is left, so training ends.";
  const equal = counts.filter((pair) => pair[2] === best[2]).length - 1;
  const rest = equal ? `as often as ${counted(equal, "other pair")}, and was seen first` : "more often than any other";
  return `The pair ${occurs(best[2])}, ${rest}.`;
}

// Says where a list of IDs first differs from the right one, as the end of a sentence.
function firstDifference(tokens, came, right) {
  const place = right.findIndex((id, place) => id !== came[place]);
  const shown = (id) => `${textOf(tokens, id)} (ID ${id})`;
  if (place < 0) return `there are ${counted(came.length, "token")}, not ${number(right.length)}.`;
  return `token ${place + 1} ${place < came.length ? `is ${shown(came[place])}, not ${shown(right[place])}` : `is missing, ${shown(right[place])}`}.`;
}

// Returns the states of training by the student's code, each with its faults and a sentence on its choice.
function judgedTraining(found, steps) {
  const tokens = byteTokens();
  const states = found.map((observed, step) => {
    const { ids, counts, chosen, size, stored, stopped } = observed;
    if (stored?.bytes) tokens[256 + step] = { bytes: stored.bytes, special: false };
    const state = trainingState(ids, counts ?? [], chosen && [...chosen, 256 + step], size);
    const right = pairCounts(ids);
    const faults = counts ? countFaults(tokens, counts, right) : [];
    if (chosen) faults.push(...stepFaults(tokens, observed, found[step + 1].ids, step, right));
    for (const name of observed.changed) faults.push(`Your ${name} changes the list of IDs that it is given.`);
    const choice = stopped || step === steps ? null : choiceFault(tokens, chosen, right);
    const why = stopped ? "Training cannot go on." : step === steps ? NO_MORE : (choice ?? whyChosen(right));
    return { ...state, times: chosen && timesOf(right, chosen), why, faults, stopped, isRight: !faults.length && !choice && !stopped };
  });
  const wrong = states.findIndex((state) => !state.isRight);
  return { states, tokens, wrong: wrong < 0 ? null : wrong };
}

// Says what is wrong with the pair that train_step returned, or with None.
function choiceFault(tokens, chosen, right) {
  const best = mostFrequent(right);
  if (!chosen) return best && `Your train_step returned None, which ends training. It should have chosen ${pairText(tokens, best)}, which ${occurs(best[2])}.`;
  const chose = `Your train_step chose ${pairText(tokens, chosen)}, which ${occurs(timesOf(right, chosen))}.`;
  if (!best) return `${chose} No pair is left: it should have returned None.`;
  if (samePair(best, chosen)) return null;
  const why = timesOf(right, chosen) === best[2] ? "occurs as often and was seen first" : occurs(best[2]);
  return `${chose} It should have chosen ${pairText(tokens, best)}, which ${why}.`;
}

function countFaults(tokens, counts, right) {
  const wrong = right.find((pair) => timesOf(counts, pair) !== pair[2]);
  const extra = counts.find((pair) => !right.some((one) => samePair(one, pair)));
  const faults = [];
  if (wrong) {
    const times = counts.find((pair) => samePair(pair, wrong))?.[2];
    const says = times === undefined ? `leaves out ${pairText(tokens, wrong)}` : `counts ${pairText(tokens, wrong)} ${counted(times, "time")}`;
    faults.push(`Your _get_pair_counts ${says}; the pair ${occurs(wrong[2])}.`);
  }
  if (extra) {
    const why = extra.includes(BOUNDARY) ? "touches a boundary" : "does not occur";
    faults.push(`Your _get_pair_counts counts ${pairText(tokens, extra)}, which ${why}.`);
  }
  const place = faults.length ? -1 : right.findIndex((pair, place) => !samePair(pair, counts[place]));
  if (place >= 0) faults.push(`Your _get_pair_counts lists ${pairText(tokens, counts[place])} before ${pairText(tokens, right[place])}, which is seen earlier.`);
  return faults;
}

// Says what is wrong with the rest of a step, given the pair that was chosen.
function stepFaults(tokens, { ids, chosen, stored }, newIds, step, right) {
  const [newId, pair, times] = [256 + step, pairText(tokens, chosen), timesOf(right, chosen)];
  const merged = replacePair(ids, chosen[0], chosen[1], newId);
  const faults = [];
  if (chosen[2] !== times) faults.push(`Your train_step returned the count ${number(chosen[2])} for ${pair}, which ${occurs(times)}.`);
  if (!same(newIds, merged)) faults.push(`Your train_step does not replace ${pair} with ${newId} as it should: ${firstDifference(tokens, newIds, merged)}`);
  if (stored.merge !== String(newId)) faults.push(`merges has ${stored.merge} for the pair ${pair}, whose ID is ${newId}.`);
  if (stored.merges !== step + 1) faults.push(`merges holds ${counted(stored.merges, "pair")} after ${counted(step + 1, "step")}; right is ${step + 1}.`);
  const halves = [tokens[chosen[0]], tokens[chosen[1]]];
  if (stored.bytes === null) faults.push(`vocab has ${stored.token} for ${newId}; right are the bytes of ${pair}.`);
  else if (halves.every(Boolean) && stored.bytes !== halves[0].bytes + halves[1].bytes) faults.push(`vocab has ${stored.token} for ${newId}, which are not the bytes of ${pair}.`);
  if (stored.vocab !== 257 + step) faults.push(`vocab holds ${counted(stored.vocab, "token")} after ${counted(step + 1, "step")}; right is ${257 + step}.`);
  return faults;
}

// Calls `saved()` after every save of an exercise file.
function watchExerciseFiles(saved) {
  if (settings.page) return window.addEventListener("message", ({ source: from }) => from === parent && saved());
  let seen = "";
  setInterval(async () => {
    const response = await fetch("/saves").catch(() => null); // The lab may have ended.
    const found = response?.ok ? await response.text() : "";
    if (seen && found && found !== seen) saved();
    seen = found || seen;
  }, 300);
}

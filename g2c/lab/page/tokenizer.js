// Computes from tables alone: encodes by byte-level BPE with the IDs of the course's Python, trains step by step, and builds
// the lattice of a Unigram tokenizer. Last, it answers the lab's views. Nothing here depends on a page.

export const BOUNDARY = -1; // Between two pieces of a training text, as in g2c/tokenizer/base.py.
export const MERGE = 2 ** 21; // Above every token ID, so that left * MERGE + right is a key for a pair.
const CANDIDATES = 12; // Pairs that a state of training lists.
const UNUSED_SHOWN = 200; // Tokens that do not occur in a corpus.

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
export const bytesOf = (text) => Array.from(new TextEncoder().encode(text));
export const hexOf = (text) => bytesOf(text).map((byte) => HEX[byte]).join("");

// --- splitting ---------------------------------------------------------------------------------------------------------

// Returns the text between matches of a regex and the matches, in turn. The regex comes translated, by g2c/lab/regexes.py.
export function splitByRegex(source, text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(new RegExp(source, "gmu"))) {
    parts.push(text.slice(end, match.index), match[0]);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts;
}

const piecesOf = (text, regex) => (regex ? splitByRegex(regex, text) : [text]).filter(Boolean);

// --- tokenizers -------------------------------------------------------------------------------------------------------

// Makes a tokenizer from its table: see `table_of` in g2c/lab/pages.py.
export function tokenizerOf({ regex, normalization, special, byteIds, merges: flat, words }) {
  const [merges, made, tokens] = [mergesOf(flat), new Map(), {}];
  for (const [key, newId] of merges) made.set(newId, [Math.floor(key / MERGE), key % MERGE]);
  for (const [byte, id] of byteIds.entries()) tokens[id] = { bytes: HEX[byte], special: false };
  for (const [token, id] of Object.entries(words)) tokens[id] = { bytes: hexOf(token), special: false };
  // A published merge may join a token that a later merge makes.
  const bytesOfToken = (id) => (tokens[id] ??= { bytes: made.get(id).map(bytesOfToken).join(""), special: false }).bytes;
  for (const id of made.keys()) bytesOfToken(id);
  // Last, because these IDs may be the highest, and browsers fill an object faster with increasing numbers.
  for (const [token, id] of Object.entries(special)) tokens[id] = { bytes: hexOf(token), special: true };
  return { regex, normalization, byteIds, merges, made, tokens, special: new Map(Object.entries(special)), words: new Map(Object.entries(words)) };
}

// Returns left * MERGE + right -> new ID, from a list with the left, right and new ID of each merge.
export function mergesOf(flat) {
  const merges = new Map();
  for (let place = 0; place < flat.length; place += 3) merges.set(flat[place] * MERGE + flat[place + 1], flat[place + 2]);
  return merges;
}

// --- encoding ----------------------------------------------------------------------------------------------------------

// Splits a text into parts that no merge crosses, each a list of IDs: a special token, a piece that is a token, or bytes.
export function splitText({ special, regex, normalization, words, byteIds }, text, ordinary = false) {
  const names = ordinary ? [] : [...special.keys()].sort((one, other) => other.length - one.length);
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const parts = names.length ? splitByRegex(escaped.join("|"), text) : [text];
  const idsOf = (piece) => (words.has(piece) ? [words.get(piece)] : bytesOf(piece).map((byte) => byteIds[byte]));
  return parts.flatMap((part, place) => {
    if (place % 2) return [[special.get(part)]];
    return piecesOf(normalization ? part.normalize(normalization) : part, regex).map(idsOf);
  });
}

export const encode = (tokenizer, text, ordinary) => splitText(tokenizer, text, ordinary).flatMap((part) => mergeAll(tokenizer.merges, part));

// Merges the pair with the lowest new ID everywhere, from left to right, until no pair is left.
export function mergeAll(merges, ids) {
  for (;;) {
    let [lowest, first] = [Infinity, 0];
    for (let place = 0; place + 1 < ids.length; place++) {
      const newId = merges.get(ids[place] * MERGE + ids[place + 1]);
      if (newId < lowest) [lowest, first] = [newId, place];
    }
    if (lowest === Infinity) return ids;
    ids = replacePair(ids, ids[first], ids[first + 1], lowest);
  }
}

// Returns every round of encoding a text: the IDs, and the pairs that have a merge, the one learned first in front.
export function roundsOf(tokenizer, text) {
  const states = [];
  let parts = splitText(tokenizer, text);
  for (;;) {
    const pairs = pairCounts(parts.flatMap((part) => [...part, BOUNDARY]));
    const found = pairs.map(([left, right]) => [left, right, tokenizer.merges.get(left * MERGE + right)]);
    const candidates = found.filter(([, , newId]) => newId !== undefined).sort((one, other) => one[2] - other[2]);
    states.push({ ids: parts.flat(), candidates });
    if (!candidates.length) return { states, tokens: tokenizer.tokens };
    parts = parts.map((part) => replacePair(part, ...candidates[0]));
  }
}

// --- training ----------------------------------------------------------------------------------------------------------

// Trains on IDs, and returns for each step: the IDs before it; left, right and count of all pairs; the same of the pair that is
// merged; and the size of the vocabulary, which is the new ID. The last step merges none.
export function trained(ids, firstId, steps) {
  const found = [];
  for (let size = firstId; ; size++) {
    const counts = pairCounts(ids);
    const chosen = size < firstId + steps ? mostFrequent(counts) : null;
    found.push({ ids, counts, chosen, size });
    if (!chosen) return found;
    ids = replacePair(ids, chosen[0], chosen[1], size);
  }
}

// Trains on a text, and returns the states and the tokens in them. Each state says why its pair is merged.
export function trainingStates(text, regex, steps) {
  const ids = piecesOf(text, regex).flatMap((piece) => [...bytesOf(piece), BOUNDARY]).slice(0, -1);
  const why = ({ counts, chosen, size }) => (size === 256 + steps ? "The lab shows no more steps." : whyChosen(counts, chosen));
  return statesOf(trained(ids, 256, steps).map((state) => ({ ...state, why: why(state) })));
}

// Makes states that a view can show from the steps of `trained`, or of the student's code.
export function statesOf(found) {
  const tokens = Object.fromEntries(HEX.map((bytes, byte) => [byte, { bytes, special: false }]));
  const states = found.map(({ counts, chosen, ...state }, step) => {
    const newId = 256 + step;
    const [left, right] = [tokens[chosen?.[0]], tokens[chosen?.[1]]];
    if (left && right) tokens[newId] = { bytes: left.bytes + right.bytes, special: false };
    // Sorting is stable, so among equally frequent pairs, the one seen first stays first.
    const ranked = [...counts].sort((one, other) => other[2] - one[2]);
    const shown = ranked.filter((pair, place) => place < CANDIDATES || (chosen && samePair(pair, chosen)));
    const firstOf = ([left, right]) => state.ids.findIndex((id, place) => id === left && state.ids[place + 1] === right);
    const candidates = shown.map((pair) => [...pair, firstOf(pair)]);
    return { ...state, candidates, pairs: counts.length, chosen: chosen && [...chosen, newId] };
  });
  return { states, tokens };
}

function whyChosen(counts, pair) {
  if (!pair) return "No pair is left, so training ends.";
  const equal = counts.filter(([, , count]) => count === pair[2]).length - 1;
  const times = pair[2] === 1 ? "1 time" : `${pair[2]} times`;
  const rest = equal ? `as often as ${equal === 1 ? "1 other pair" : `${equal} other pairs`}, and was seen first` : "more often than any other";
  return `The pair occurs ${times}, ${rest}.`;
}

// Returns the pair to merge, with its count: among equally frequent pairs the one seen first; null if there is none.
export const mostFrequent = (counts) => counts.reduce((best, pair) => (best && best[2] >= pair[2] ? best : pair), null);

// Returns left, right and count of each pair, in the order in which they are seen.
export function pairCounts(ids) {
  const found = new Map();
  for (let place = 0; place + 1 < ids.length; place++) {
    const [left, right] = [ids[place], ids[place + 1]];
    if (left === BOUNDARY || right === BOUNDARY) continue;
    const pair = found.get(left * MERGE + right) ?? [left, right, 0];
    pair[2]++;
    found.set(left * MERGE + right, pair);
  }
  return [...found.values()];
}

export const samePair = (one, other) => one[0] === other[0] && one[1] === other[1];

export function replacePair(ids, left, right, newId) {
  const replaced = [];
  for (let place = 0; place < ids.length; place++) {
    if (ids[place] === left && ids[place + 1] === right) {
      replaced.push(newId);
      place++;
    } else replaced.push(ids[place]);
  }
  return replaced;
}

// --- Unigram -----------------------------------------------------------------------------------------------------------

// The vocabulary of docs/04g-unigram.md. Its first token stands for an unknown character, and costs 10 more than any other.
export const HANDOUT = [["<unk>", 0], ["h", -3], ["u", -3], ["g", -3], ["s", -2], ["hu", -4], ["ug", -2], ["hug", -4]];
const [[UNKNOWN], ...KNOWN] = HANDOUT;
const SCORES = new Map(KNOWN);
const UNKNOWN_SCORE = Math.min(...SCORES.values()) - 10;

// Returns the lattice of a text: an edge for every token at every place where it fits, sorted by start and then by end, and
// the loss of the best path. Places are counted in characters.
export function latticeOf(text) {
  const characters = [...text];
  const edges = [];
  const add = (start, end, token, score) => edges.push({ start, end, token, score, best: false });
  for (let start = 0; start < characters.length; start++) {
    if (!SCORES.has(characters[start])) add(start, start + 1, UNKNOWN, UNKNOWN_SCORE);
    let token = "";
    for (let end = start + 1; end <= characters.length; end++) {
      token += characters[end - 1];
      if (SCORES.has(token)) add(start, end, token, SCORES.get(token));
    }
  }
  const best = [{ score: 0, path: [] }]; // The best path to each place (Viterbi 1967). In a tie, the edge seen earlier wins.
  for (const edge of edges) {
    const { score, path } = best[edge.start];
    const isWorse = score + edge.score <= best[edge.end]?.score;
    if (!isWorse) best[edge.end] = { score: score + edge.score, path: [...path, edge] };
  }
  const { score, path } = best.at(-1);
  for (const edge of path) edge.best = true;
  return { text, edges, loss: 0 - score };
}

// --- for the lab's views -----------------------------------------------------------------------------------------------

// Returns what gives the views their data. `tokenizers` lists {name, title, table, corpus}, in which `corpus` is {name, counts}
// or null; `patterns` maps names to regexes. See `page_of` in g2c/lab/pages.py.
export function sourceOf({ tokenizers, patterns }) {
  const ready = new Map(); // Name -> the tokenizer with its corpus, once it is used.
  const used = (name) => {
    const { table, corpus } = tokenizers.find((one) => one.name === name);
    if (!ready.has(name)) ready.set(name, { ...tokenizerOf(table), corpus });
    return ready.get(name);
  };
  return {
    tokenizers,
    patterns,
    train: (text, pattern, steps) => trainingStates(text, patterns[pattern], steps),
    rounds: (name, text) => roundsOf(used(name), text),
    lattice: latticeOf,

    // Returns the IDs of texts. With `asPlain`, special tokens in them are plain text.
    encode: (name, texts, asPlain) => ({ ids: texts.map((one) => encode(used(name), one, asPlain)), tokens: used(name).tokens }),

    // Returns which tokens are made of which, the merge that made this one, and how often the corpus has it.
    token(name, id) {
      const { made, tokens, corpus } = used(name);
      return { made, tokens, merge: [...made.keys()].indexOf(id) + 1, corpus: corpus?.name, count: corpus?.counts[id] ?? 0 };
    },

    // Returns the learned tokens that do not occur in the corpus.
    unused(name) {
      const { made, tokens, corpus } = used(name);
      if (!corpus) return { corpus: null };
      const ids = [...made.keys()].filter((id) => !corpus.counts[id]);
      return { corpus: corpus.name, ids: ids.slice(0, UNUSED_SHOWN), count: ids.length, of: made.size, tokens };
    },
  };
}

// Computes from tables alone: encodes by byte-level BPE with the IDs of the course's Python, trains step by step, and builds
// the lattice of a Unigram tokenizer. Nothing here depends on a page.

export const BOUNDARY = -1; // Between two pieces of a training text, as in g2c/tokenizer/base.py.
export const MERGE = 2 ** 21; // Above every token ID, so that left * MERGE + right is a key for a pair.
const CANDIDATES = 12; // Pairs that a state of training lists.

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
export const hex = (bytes) => {
  let digits = "";
  for (const byte of bytes) digits += HEX[byte];
  return digits;
};
export const bytesOf = (text) => Array.from(new TextEncoder().encode(text));

// --- patterns --------------------------------------------------------------------------------------------------------

// Name -> the pattern of g2c/tokenizer/patterns.py in JavaScript, where \s means other characters and (?i:…) is too new. A
// browser may use a newer version of Unicode.
const CONTRACTION = "'(?:[sS\u017f]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])";
const [UPPER, LOWER] = ["\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}", "\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}"];
const BLANKS = "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const CL100K = `${CONTRACTION}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|${BLANKS}`;
const inUnicode = (regex) => new RegExp(`(${regex.replace(/\\s/g, "\\p{White_Space}").replace(/\\S/g, "\\P{White_Space}")})`, "u");
export const REGEXES = {
  gpt2: inUnicode("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"),
  gpt4: inUnicode(CL100K),
  o200k: inUnicode(
    `[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]*[${LOWER}]+(?:${CONTRACTION})?|[^\\r\\n\\p{L}\\p{N}]?[${UPPER}]+[${LOWER}]*(?:${CONTRACTION})?` +
      `|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|${BLANKS}`,
  ),
  qwen: inUnicode(CL100K.replace("{1,3}", "")),
};

// Splits a text into pieces: the matches of a regex, and the text between them.
const piecesOf = (text, regex) => (regex ? text.split(regex) : [text]).filter(Boolean);

// --- tokenizers -------------------------------------------------------------------------------------------------------

// Makes a tokenizer from its table: see `table_of` in g2c/lab/pages.py.
export function tokenizerOf({ pattern, normalization, special, byteIds, merges, words }) {
  const [specialIds, wordIds] = [new Map(Object.entries(special)), new Map(Object.entries(words))];
  const tokenizer = { regex: REGEXES[pattern], normalization, special: specialIds, byteIds, merges: new Map(), made: new Map(), words: wordIds, tokens: {} };
  const { made, tokens } = tokenizer;
  for (const [byte, id] of byteIds.entries()) tokens[id] = { bytes: HEX[byte], special: false };
  for (const [token, id] of wordIds) tokens[id] = { bytes: hex(bytesOf(token)), special: false };
  for (let place = 0; place < merges.length; place += 3) {
    const [left, right, newId] = [merges[place], merges[place + 1], merges[place + 2]];
    tokenizer.merges.set(left * MERGE + right, newId);
    made.set(newId, [left, right]);
  }
  // A published merge may join a token that a later merge makes.
  const bytesOfToken = (id) => (tokens[id] ??= { bytes: made.get(id).map(bytesOfToken).join(""), special: false }).bytes;
  for (const id of made.keys()) bytesOfToken(id);
  // Last, because these IDs may be the highest, and browsers fill an object faster with increasing numbers.
  for (const [token, id] of specialIds) tokens[id] = { bytes: hex(bytesOf(token)), special: true };
  return tokenizer;
}

// --- encoding --------------------------------------------------------------------------------------------------------

// Splits a text into parts that no merge crosses, each a list of IDs: a special token, a piece that is a token, or bytes.
export function splitText({ special, regex, normalization, words, byteIds }, text, ordinary) {
  const names = ordinary ? [] : [...special.keys()].sort((one, other) => other.length - one.length);
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const parts = names.length ? text.split(new RegExp(`(${escaped.join("|")})`, "u")) : [text];
  const idsOf = (piece) => (words.has(piece) ? [words.get(piece)] : bytesOf(piece).map((byte) => byteIds[byte]));
  return parts.flatMap((part, place) => {
    if (place % 2) return [[special.get(part)]];
    return piecesOf(normalization ? part.normalize(normalization) : part, regex).map(idsOf);
  });
}

// Merges the pair with the lowest new ID everywhere, from left to right, until no pair is left. Changes the list of IDs.
export function mergeAll(merges, ids) {
  const newIdAt = (place) => merges.get(ids[place] * MERGE + ids[place + 1]) ?? Infinity;
  const newIds = ids.map((_, place) => newIdAt(place)); // What the token at a place and the next one become.
  for (;;) {
    let lowest = Infinity;
    for (const newId of newIds) if (newId < lowest) lowest = newId;
    if (lowest === Infinity) return ids;
    let [kept, changed] = [0, []];
    for (let place = 0; place < ids.length; place++, kept++) {
      const merge = newIds[place] === lowest;
      if (merge) changed.push(kept);
      ids[kept] = merge ? lowest : ids[place];
      newIds[kept] = newIds[place];
      if (merge) place++;
    }
    ids.length = newIds.length = kept;
    for (const place of changed) {
      newIds[place] = newIdAt(place);
      if (place > 0) newIds[place - 1] = newIdAt(place - 1);
    }
  }
}

// Returns every round of encoding parts of a text: the IDs, and the pairs that have a merge, the one learned first in front.
function encodingRounds(merges, parts) {
  const rounds = [];
  for (;;) {
    const known = new Map();
    for (const part of parts)
      for (let place = 0; place + 1 < part.length; place++) {
        const newId = merges.get(part[place] * MERGE + part[place + 1]);
        if (newId !== undefined) known.set(newId, [part[place], part[place + 1], newId]);
      }
    const candidates = [...known.values()].sort((one, other) => one[2] - other[2]);
    rounds.push({ ids: parts.flat(), candidates });
    if (!candidates.length) return rounds;
    parts = parts.map((part) => replacePair(part, ...candidates[0]));
  }
}

export const roundsOf = (tokenizer, text) => ({ rounds: encodingRounds(tokenizer.merges, splitText(tokenizer, text)), tokens: tokenizer.tokens });

// --- training --------------------------------------------------------------------------------------------------------

// Returns the IDs with which training on a text starts, with BOUNDARY between two pieces.
const trainingIds = (text, regex) =>
  piecesOf(text, regex).flatMap((piece, place) => (place ? [BOUNDARY, ...bytesOf(piece)] : bytesOf(piece)));

const byteTokens = () => Object.fromEntries(HEX.map((bytes, byte) => [byte, { bytes, special: false }]));

// Trains on a text step by step, and returns the states and the tokens in them. Each state says why its pair is merged.
export function trainingStates(text, pattern, steps) {
  let ids = trainingIds(text, REGEXES[pattern]);
  const tokens = byteTokens();
  const states = [];
  for (let newId = 256; ; newId++) {
    const counts = pairCounts(ids);
    const isLast = newId === 256 + steps;
    const pair = isLast ? null : mostFrequent(counts);
    states.push({ ...trainingState(ids, counts, pair && [...pair, newId], newId), why: isLast ? NO_MORE : whyChosen(counts, pair) });
    if (!pair) return { states, tokens };
    addToken(tokens, pair, newId);
    ids = replacePair(ids, pair[0], pair[1], newId);
  }
}

// Returns the same for training by the student's code. Of each step, `found` has the IDs, the counts that _get_pair_counts
// returned, the pair and count that train_step returned, and the size of `vocab` before it.
export function studentsStates(found) {
  const tokens = byteTokens();
  const states = found.map(({ ids, counts, chosen, size }, step) => {
    if (chosen) addToken(tokens, chosen, 256 + step);
    return trainingState(ids, counts, chosen && [...chosen, 256 + step], size);
  });
  return { states, tokens };
}

const NO_MORE = "The lab shows no more steps.";

function whyChosen(counts, pair) {
  if (!pair) return "No pair is left, so training ends.";
  const equal = counts.filter(([, , count]) => count === pair[2]).length - 1;
  const times = pair[2] === 1 ? "1 time" : `${pair[2]} times`;
  const rest = equal ? `as often as ${equal === 1 ? "1 other pair" : `${equal} other pairs`}, and was seen first` : "more often than any other";
  return `The pair occurs ${times}, ${rest}.`;
}

function addToken(tokens, [left, right], newId) {
  if (tokens[left] && tokens[right]) tokens[newId] = { bytes: tokens[left].bytes + tokens[right].bytes, special: false };
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

// Returns a state as the page shows it: the most frequent pairs and the next to be merged, each with its first place.
function trainingState(ids, counts, chosen, size) {
  // Sorting is stable, so among equally frequent pairs, the one seen first stays first.
  const ranked = [...counts].sort((one, other) => other[2] - one[2]);
  const shown = ranked.filter((pair, place) => place < CANDIDATES || (chosen && samePair(pair, chosen)));
  const firstOf = ([left, right]) => ids.findIndex((id, place) => id === left && ids[place + 1] === right);
  return { ids, candidates: shown.map((pair) => [...pair, firstOf(pair)]), pairs: counts.length, chosen, size };
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

const UNKNOWN_PENALTY = 10;
export const HANDOUT = [["<unk>", 0], ["h", -3], ["u", -3], ["g", -3], ["s", -2], ["hu", -4], ["ug", -2], ["hug", -4]]; // The vocabulary of docs/04g-unigram.md.

// Makes a tokenizer from a list of [token, score], in which the first token stands for unknown characters.
export function unigramOf(vocab) {
  const unknown = vocab[0][0];
  const scores = new Map(vocab);
  scores.delete(unknown);
  let [lowest, longest] = [scores.size ? Infinity : 0, 1];
  for (const [token, score] of scores) {
    lowest = Math.min(lowest, score);
    longest = Math.max(longest, [...token].length);
  }
  return { scores, unknown, unknownScore: lowest - UNKNOWN_PENALTY, longest };
}

// Returns an edge for every token at every place where it fits, sorted by start and then by end. Places are counted in
// characters. A character that is not a token has an edge with the unknown token.
function latticeEdges({ scores, unknown, unknownScore, longest }, text) {
  const characters = [...text];
  const edges = [];
  const add = (start, end, token, score) => edges.push({ start, end, token, score, best: false });
  for (let start = 0; start < characters.length; start++) {
    if (!scores.has(characters[start])) add(start, start + 1, unknown, unknownScore);
    let token = "";
    for (let end = start; end < Math.min(characters.length, start + longest); end++) {
      token += characters[end];
      if (scores.has(token)) add(start, end + 1, token, scores.get(token));
    }
  }
  return edges;
}

// Returns the edges of the best path through a lattice (Viterbi 1967). In a tie, the edge seen earlier wins.
function bestEdges(edges) {
  const best = new Map([[0, 0]]);
  const arrivals = new Map();
  for (const edge of edges) {
    const score = best.get(edge.start) + edge.score;
    if (score <= (best.get(edge.end) ?? -Infinity)) continue;
    best.set(edge.end, score);
    arrivals.set(edge.end, edge);
  }
  const path = [];
  for (let place = edges.at(-1)?.end ?? 0; place > 0; place = path[0].start) path.unshift(arrivals.get(place));
  return path;
}

// Returns the lattice of a text with its best path.
export function latticeOf(unigram, text) {
  const edges = latticeEdges(unigram, text);
  const path = bestEdges(edges);
  for (const edge of path) edge.best = true;
  const loss = path.reduce((sum, { score }) => sum - score, 0);
  return { text, edges, tokens: path.map(({ token }) => token), loss };
}

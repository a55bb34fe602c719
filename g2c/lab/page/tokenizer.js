// What follows from tables alone: encoding by byte-level BPE with the IDs of the course's Python, training step by step, and
// the lattice of a Unigram tokenizer. Nothing here knows of a server or of a page.

const MERGE = 2 ** 21; // Above every token ID, so that left * MERGE + right is a key for a pair.

function refuse(sentence) {
  throw new Problem(sentence);
}

// The byte alphabet of tokenizer.json: a visible character for each byte value (Radford et al. 2019).
const BYTE_OF = new Map();
{
  let substitute = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const visible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    BYTE_OF.set(String.fromCodePoint(visible ? byte : substitute++), byte);
  }
}

// --- patterns --------------------------------------------------------------------------------------------------------

// gpt2 and gpt4 as JavaScript regexes. `classes` holds the insides of character classes for letters, numbers and white
// space, as the regex engine of the course has them: a browser's own \p{L} may know other characters.
function patternRegex(name, { letter: L, number: N, white: S }) {
  const other = `[^${S}${L}${N}]`;
  const white = `[${S}]+(?![^${S}])|[${S}]+`;
  const gpt2 = `'s|'t|'re|'ve|'m|'ll|'d| ?[${L}]+| ?[${N}]+| ?${other}+|${white}`;
  const gpt4 =
    `'(?:[sS\u017f]|[tT]|[rR][eE]|[vV][eE]|[mM]|[lL][lL]|[dD])|[^\\r\\n${L}${N}]?[${L}]+|[${N}]{1,3}` +
    `| ?${other}+[\\r\\n]*|[${S}]*[\\r\\n]+|${white}`;
  return new RegExp(name === "gpt2" ? gpt2 : gpt4, "gu");
}

// --- tokenizers -------------------------------------------------------------------------------------------------------

// A tokenizer from its table: see `table_of` in g2c/lab/tokenizers.py.
function tokenizerOf({ pattern, special, byteIds, merges, words = {} }, classes) {
  const canSplit = pattern !== "other";
  const split = pattern && canSplit ? patternRegex(pattern, classes) : null;
  const tokenizer = { canSplit, split, special: new Map(Object.entries(special)), byteIds, merges: new Map(), made: new Map(), tokens: {} };
  const { made, tokens } = tokenizer;
  const encoder = new TextEncoder();
  for (const [byte, id] of byteIds.entries()) tokens[id] = { bytes: HEX[byte], special: false };
  for (const [token, id] of Object.entries(words)) tokens[id] = { bytes: hex(encoder.encode(token)), special: false };
  for (let place = 0; place < merges.length; place += 3) {
    const [left, right, newId] = [merges[place], merges[place + 1], merges[place + 2]];
    tokenizer.merges.set(left * MERGE + right, newId);
    made.set(newId, [left, right]);
    tokens[newId] = { bytes: tokens[left].bytes + tokens[right].bytes, special: false };
  }
  // Last, because they may have the highest IDs: a browser stores an object faster whose numbers increase.
  for (const [token, id] of tokenizer.special) tokens[id] = { bytes: hex(encoder.encode(token)), special: true };
  return tokenizer;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    refuse("It is not JSON.");
  }
}

// The table of a tokenizer.json. Throws a Problem for a file whose IDs this page would
// get wrong.
function readTokenizer(data, patterns) {
  if (!data || typeof data !== "object" || !data.model) refuse("It is not a tokenizer.json: it has no part named model.");
  const model = data.model;
  if (model.type !== "BPE") refuse(`Its model is ${model.type ?? "of no type"}; this page reads BPE and Unigram.`);
  if (data.normalizer) refuse("It has a normalizer, which changes the text before it is split.");
  for (const setting of ["dropout", "byte_fallback", "ignore_merges", "continuing_subword_prefix", "end_of_word_suffix"])
    if (model[setting]) refuse(`It uses ${setting}, which this page does not.`);
  const pattern = readPattern(data.pre_tokenizer, patterns);

  const ids = new Map(Object.entries(model.vocab ?? {}));
  const special = {};
  const added = data.added_tokens ?? [];
  for (const token of added) {
    const name = JSON.stringify(token.content);
    if (!token.special) refuse(`The added token ${name} is not special.`);
    if (token.lstrip || token.rstrip || token.single_word) refuse(`The special token ${name} takes the text around it into account.`);
    if (ids.has(token.content) && ids.get(token.content) !== token.id) refuse(`The special token ${name} has two IDs.`);
    special[token.content] = token.id;
  }
  if (added.some((token) => Boolean(token.normalized) !== Boolean(added[0].normalized)))
    refuse("Its special tokens differ in normalized, so their order in a text depends on the library.");

  const byteIds = [];
  for (const [character, byte] of BYTE_OF) {
    if (!ids.has(character)) refuse(`It has no token for the byte ${byte}, so it leaves that byte out of every text.`);
    byteIds[byte] = ids.get(character);
  }
  const known = new Set([...byteIds, ...Object.values(special)]);
  const merges = [];
  let last = Math.max(...byteIds);
  for (const [position, entry] of (model.merges ?? []).entries()) {
    const [left, right] = typeof entry === "string" ? entry.split(" ") : entry;
    const [leftId, rightId, newId] = [ids.get(left), ids.get(right), ids.get(left + right)];
    if (!known.has(leftId) || !known.has(rightId) || newId === undefined)
      refuse(`model.merges[${position}] uses a token that is not there yet.`);
    if (newId <= last || newId >= MERGE) refuse(`model.merges[${position}] is not numbered in the order of the merges.`);
    last = newId;
    known.add(newId);
    merges.push(leftId, rightId, newId);
  }
  for (const [token, id] of ids) if (!known.has(id)) refuse(`The token ${JSON.stringify(token)} is made by no merge.`);
  return { pattern, special, byteIds, merges };
}

function readPattern(section, patterns) {
  const byteLevel = (step) => {
    if (step.type !== "ByteLevel") refuse(`Its pre_tokenizer is ${step.type}; this page reads ByteLevel.`);
    if (step.add_prefix_space) refuse("Its pre_tokenizer adds a space before the text.");
    return step.use_regex ?? true;
  };
  if (!section) refuse("It has no pre_tokenizer, so it works on characters, not on bytes.");
  if (section.type !== "Sequence") return byteLevel(section) ? "gpt2" : null;
  const [split, step, ...more] = section.pretokenizers ?? [];
  if (!step || more.length || split.type !== "Split" || split.behavior !== "Isolated" || split.invert || byteLevel(step))
    refuse("Its pre_tokenizer has other steps than Split and ByteLevel.");
  const name = Object.keys(patterns).find((known) => patterns[known] === split.pattern?.Regex);
  return name ?? refuse("It splits text by a regex that this page does not know; it knows those of gpt2 and gpt4.");
}

// --- encoding --------------------------------------------------------------------------------------------------------

// The parts of a text that no merge crosses, each a list of IDs: a special token, or the bytes of a piece.
function splitText({ special, split, byteIds }, text, ordinary) {
  const names = ordinary ? [] : [...special.keys()].sort((one, other) => other.length - one.length);
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const parts = names.length ? text.split(new RegExp(`(${escaped.join("|")})`, "u")) : [text];
  return parts.flatMap((part, place) => (place % 2 ? [[special.get(part)]] : piecesOf(part, split).map((bytes) => bytes.map((byte) => byteIds[byte]))));
}

// The bytes of each piece of a text. `split` is null if nothing splits it.
function piecesOf(text, split) {
  const pieces = split ? text.match(split) ?? [] : text ? [text] : [];
  return pieces.map((piece) => Array.from(new TextEncoder().encode(piece)));
}

// Merges the pair of lowest new ID wherever it is, from left to right, until no pair is left. Changes the list of IDs.
function mergeAll(merges, ids) {
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

// Every round of encoding parts of a text: the IDs, and the pairs that some merge joins, the one learned first at the front.
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

// --- training --------------------------------------------------------------------------------------------------------

// The IDs of a text that training starts from, with BOUNDARY between two pieces.
const trainingIds = (text, split) => piecesOf(text, split).flatMap((piece, place) => (place ? [BOUNDARY, ...piece] : piece));

// The states of training from a list of IDs, and the tokens in them.
function trainingStates(ids, steps) {
  const tokens = Object.fromEntries(HEX.map((bytes, byte) => [byte, { bytes, special: false }]));
  const states = [];
  for (let newId = 256; ; newId++) {
    const state = trainingState(ids, pairCounts(ids), null);
    states.push(state);
    if (newId === 256 + steps || !state.pairs) return { states, tokens };
    const [left, right, count] = state.candidates[0];
    state.chosen = [left, right, count, newId];
    tokens[newId] = { bytes: tokens[left].bytes + tokens[right].bytes, special: false };
    ids = replacePair(ids, left, right, newId);
  }
}

// Left, right and count of each pair, in the order in which they are seen.
function pairCounts(ids) {
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

// A state as the page shows it: the most frequent pairs with the place of the first, and the one that is merged next.
function trainingState(ids, counts, chosen) {
  // Sorting is stable: of equally frequent pairs, the one seen first stays first.
  const ranked = [...counts].sort((one, other) => other[2] - one[2]).slice(0, CANDIDATES);
  const firstOf = ([left, right]) => ids.findIndex((id, place) => id === left && ids[place + 1] === right);
  return { ids, candidates: ranked.map((pair) => [...pair, firstOf(pair)]), pairs: counts.length, chosen };
}

function replacePair(ids, left, right, newId) {
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

const SPACE = "\u2581"; // Stands for a space at the beginning of a word, as in SentencePiece.
const UNKNOWN_PENALTY = 10;

// The vocabulary of a tokenizer.json of type Unigram. Throws a Problem where its texts are split in another way than
// the course splits them: Metaspace with prepend_scheme always, and no normalizer.
function readUnigram({ normalizer, pre_tokenizer: step, model }) {
  if (normalizer) refuse("It has a normalizer, which changes the text before it is split.");
  if (step?.type !== "Metaspace" || step.replacement !== SPACE || step.prepend_scheme !== "always" || step.split === false)
    refuse("Its pre_tokenizer is not Metaspace with prepend_scheme always.");
  if (model.byte_fallback) refuse("It uses byte_fallback, which this page does not.");
  return unigramOf(model);
}

function unigramOf({ vocab, unk_id }) {
  const isPair = (entry) => Array.isArray(entry) && typeof entry[0] === "string" && Number.isFinite(entry[1]);
  if (!Array.isArray(vocab) || !vocab.every(isPair)) refuse("Its vocab is not a list of pairs of a token and its score.");
  if (!vocab[unk_id]) refuse("Its unk_id is not the ID of a token.");
  const unknown = vocab[unk_id][0];
  const scores = new Map(vocab);
  if (scores.size < vocab.length) refuse("A token appears twice in its vocab.");
  scores.delete(unknown);
  let [lowest, longest] = [scores.size ? Infinity : 0, 1];
  for (const [token, score] of scores) {
    lowest = Math.min(lowest, score);
    longest = Math.max(longest, [...token].length);
  }
  return { scores, unknown, unknownScore: lowest - UNKNOWN_PENALTY, longest, size: vocab.length };
}

// The words of a text: it is split before each space, and begins with one.
function unigramWords(text) {
  if (!text) return [];
  const spaced = text.replaceAll(" ", SPACE);
  return (spaced.startsWith(SPACE) ? spaced.slice(1) : spaced).split(SPACE).map((word) => SPACE + word);
}

// Every token at every place of a word where it fits, sorted by start and then by end. Places are counted in characters,
// from `offset` on. A character that is not a token has an edge with the unknown token.
function latticeEdges({ scores, unknown, unknownScore, longest }, word, offset = 0) {
  const characters = [...word];
  const edges = [];
  for (let start = 0; start < characters.length; start++) {
    const from = offset + start;
    if (!scores.has(characters[start])) edges.push({ start: from, end: from + 1, token: unknown, score: unknownScore, best: false });
    let token = "";
    for (let end = start; end < Math.min(characters.length, start + longest); end++) {
      token += characters[end];
      if (scores.has(token)) edges.push({ start: from, end: offset + end + 1, token, score: scores.get(token), best: false });
    }
  }
  return edges;
}

// The edges of the best path through a word's lattice (Viterbi 1967). In a tie an edge seen earlier wins.
function bestEdges(edges) {
  if (!edges.length) return [];
  const [first, last] = [edges[0].start, edges[edges.length - 1].end];
  const best = new Map([[first, 0]]);
  const arrivals = new Map();
  for (const edge of edges) {
    const score = best.get(edge.start) + edge.score;
    if (score <= (best.get(edge.end) ?? -Infinity)) continue;
    best.set(edge.end, score);
    arrivals.set(edge.end, edge);
  }
  const path = [];
  for (let place = last; place > first; place = path[0].start) path.unshift(arrivals.get(place));
  return path;
}

// The same edges, of which those are the best that a path of tokens takes.
function alongPath({ unknown }, edges, tokens) {
  const taken = new Set();
  let start = 0;
  for (const token of tokens) {
    const end = start + (token === unknown ? 1 : [...String(token)].length);
    taken.add(`${start} ${end}`);
    start = end;
  }
  return edges.map((edge) => ({ ...edge, best: taken.has(`${edge.start} ${edge.end}`) }));
}

// The lattice of words with its best path.
function latticeOf(unigram, words) {
  const [edges, tokens] = [[], []];
  let [loss, offset] = [0, 0];
  for (const word of words) {
    const found = latticeEdges(unigram, word, offset);
    for (const edge of bestEdges(found)) {
      edge.best = true;
      tokens.push(edge.token);
      loss -= edge.score;
    }
    edges.push(...found);
    offset += [...word].length;
  }
  return { text: words.join(""), edges, tokens, loss, vocabulary: unigram.size };
}

// A byte-level BPE tokenizer, for the exported page: it reads a tokenizer.json and gives the IDs of the course's Python.
// At the end, training step by step and the lattice of a Unigram tokenizer. The server's page shows them as long as the
// student has not written them, and checks the student's with them after that.

const MERGE = 2 ** 21; // Above every token ID, so that left * MERGE + right is a key for a pair.

class Unsupported extends Error {}

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

// A tokenizer from its table: the name of its pattern, special tokens with their IDs, the ID of each byte, and merges as
// a flat list of left, right and new IDs, in the order learned.
function tokenizerOf({ pattern, special, byteIds, merges }, classes) {
  const tokenizer = { special: new Map(Object.entries(special)), byteIds, merges: new Map(), made: new Map(), cache: new Map() };
  for (let place = 0; place < merges.length; place += 3) {
    const [left, right, newId] = merges.slice(place, place + 3);
    tokenizer.merges.set(left * MERGE + right, newId);
    tokenizer.made.set(newId, [left, right]);
  }
  tokenizer.hex = new Map(byteIds.map((id, byte) => [id, hex([byte])]));
  for (const [token, id] of tokenizer.special) tokenizer.hex.set(id, hex(new TextEncoder().encode(token)));
  tokenizer.split = pattern && patternRegex(pattern, classes);
  return tokenizer;
}

// The bytes of a token in hexadecimal; undefined if there is no such token.
function tokenHex(tokenizer, id) {
  if (!tokenizer.hex.has(id) && tokenizer.made.has(id))
    tokenizer.hex.set(id, tokenizer.made.get(id).map((part) => tokenHex(tokenizer, part)).join(""));
  return tokenizer.hex.get(id);
}

// The table of a tokenizer.json. Throws Unsupported, with a sentence for the reader, for a file whose IDs this page would
// get wrong.
function readTokenizer(data, patterns) {
  const refuse = (sentence) => {
    throw new Unsupported(sentence);
  };
  if (!data || typeof data !== "object" || !data.model) refuse("It is not a tokenizer.json: it has no part named model.");
  const model = data.model;
  if (model.type !== "BPE") refuse(`Its model is ${model.type ?? "of no type"}; this page reads BPE and Unigram.`);
  if (data.normalizer) refuse("It has a normalizer, which changes the text before it is split.");
  for (const setting of ["dropout", "byte_fallback", "ignore_merges", "continuing_subword_prefix", "end_of_word_suffix"])
    if (model[setting]) refuse(`It uses ${setting}, which this page does not.`);
  const pattern = readPattern(data.pre_tokenizer, patterns, refuse);

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

function readPattern(section, patterns, refuse) {
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

// The parts that no merge crosses: the ID of a special token, or the text of a piece.
function* pieces({ special, split }, text, { ordinary = false } = {}) {
  const names = ordinary ? [] : [...special.keys()].sort((one, other) => other.length - one.length);
  const escaped = names.map((name) => name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"));
  const parts = names.length ? text.split(new RegExp(`(${escaped.join("|")})`, "u")) : [text];
  for (const [position, part] of parts.entries()) {
    if (position % 2) yield special.get(part);
    else yield* split ? part.match(split) ?? [] : part ? [part] : [];
  }
}

const pieceIds = ({ byteIds }, piece) => Array.from(new TextEncoder().encode(piece), (byte) => byteIds[byte]);

function encode(tokenizer, text, options) {
  const ids = [];
  for (const piece of pieces(tokenizer, text, options)) {
    if (typeof piece === "number") {
      ids.push(piece);
      continue;
    }
    let merged = tokenizer.cache.get(piece);
    if (!merged) {
      merged = mergeAll(tokenizer, pieceIds(tokenizer, piece));
      if (piece.length < 40) tokenizer.cache.set(piece, merged);
    }
    for (const id of merged) ids.push(id);
  }
  return ids;
}

// Merges the pair of lowest new ID wherever it is, from left to right, until no pair is left.
function mergeAll({ merges }, ids) {
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

// --- training --------------------------------------------------------------------------------------------------------

// The states of training from a list of IDs, as `train` of student.py answers them.
function trainingStates(ids, steps) {
  const tokens = {};
  for (let byte = 0; byte < 256; byte++) tokens[byte] = { bytes: hex([byte]), special: false };
  const states = [];
  for (let newId = 256; ; newId++) {
    const found = new Map();
    for (let place = 0; place + 1 < ids.length; place++) {
      const [left, right] = [ids[place], ids[place + 1]];
      if (left === BOUNDARY || right === BOUNDARY) continue;
      const candidate = found.get(left * MERGE + right) ?? [left, right, 0, place];
      candidate[2]++;
      found.set(left * MERGE + right, candidate);
    }
    // Sorting is stable: of equally frequent pairs, the one seen first stays first.
    const candidates = [...found.values()].sort((one, other) => other[2] - one[2]);
    const chosen = newId < 256 + steps && candidates.length ? candidates[0] : null;
    states.push({ ids, candidates: candidates.slice(0, CANDIDATES), pairs: candidates.length, chosen: chosen && [...chosen.slice(0, 3), newId] });
    if (!chosen) return { states, tokens };
    tokens[newId] = { bytes: tokens[chosen[0]].bytes + tokens[chosen[1]].bytes, special: false };
    ids = replacePair(ids, chosen[0], chosen[1], newId);
  }
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

// The vocabulary of a tokenizer.json of type Unigram. Throws Unsupported where its texts are split in another way than
// the course splits them: Metaspace with prepend_scheme always, and no normalizer.
function readUnigram({ normalizer, pre_tokenizer: step, model }) {
  const refuse = (sentence) => {
    throw new Unsupported(sentence);
  };
  if (normalizer) refuse("It has a normalizer, which changes the text before it is split.");
  if (step?.type !== "Metaspace" || step.replacement !== SPACE || step.prepend_scheme !== "always" || step.split === false)
    refuse("Its pre_tokenizer is not Metaspace with prepend_scheme always.");
  if (model.byte_fallback) refuse("It uses byte_fallback, which this page does not.");
  return unigramOf(model, refuse);
}

function unigramOf({ vocab, unk_id }, refuse) {
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

// The lattice of words with its best path, as `lattice` of student.py answers it.
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

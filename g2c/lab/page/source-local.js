// Where the views of the exported page get their data: from the tokenizer in JavaScript. The same functions as those of
// source-server.js, with the same results.

const embedded = JSON.parse(document.getElementById("data").textContent);
const loaded = new Map();

function addTokenizer(name, data, corpus = null) {
  const tokenizer = readTokenizer(data, embedded.patterns, embedded.classes);
  const special = new Set(tokenizer.special.values());
  const shown = new Map();
  for (const [id, bytes] of tokenizer.bytes) shown.set(id, { bytes: hex(bytes), special: special.has(id) });
  loaded.set(name, { ...tokenizer, shown, corpus });
  return null;
}
addTokenizer(embedded.name, embedded.tokenizer, embedded.corpus);

// The vocabularies of the view Lattice: the one in the handout, and those of dropped files by their names.
const unigrams = new Map([["", unigramOf(embedded.handout)]]);

function shownTokens(tokenizer, ids) {
  const tokens = {};
  for (const id of new Set(ids)) {
    const token = tokenizer.shown.get(id);
    if (token) tokens[id] = token;
  }
  return tokens;
}

const source = {
  exported: true,
  missing: [],
  // Returns the view that shows the tokenizer, or null: every view but Lattice.
  addTokenizer(name, data) {
    if (data?.model?.type !== "Unigram") return addTokenizer(name, data);
    unigrams.set(name, readUnigram(data));
    return "lattice";
  },
  async tokenizers() {
    return [...loaded].map(([name, { special, corpus }]) => ({
      name,
      title: name,
      part: 10_000,
      special: [...special.keys()],
      corpus: corpus && corpus.name,
    }));
  },
  async encode({ tokenizer: name, texts, ordinary }) {
    const tokenizer = loaded.get(name);
    const ids = texts.map((text) => encode(tokenizer, text, { ordinary }));
    return { ids, tokens: shownTokens(tokenizer, ids.flat()) };
  },
  async token({ tokenizer: name, id }) {
    const tokenizer = loaded.get(name);
    const made = {};
    const parts = [id];
    for (const part of parts) {
      const pair = tokenizer.made.get(part);
      if (!pair || made[part]) continue;
      made[part] = pair;
      parts.push(...pair);
    }
    const order = [...tokenizer.made.keys()].indexOf(id);
    const { corpus } = tokenizer;
    return {
      made,
      tokens: shownTokens(tokenizer, parts),
      merge: order < 0 ? null : order + 1,
      corpus: corpus && corpus.name,
      count: corpus && (corpus.counts[id] ?? 0),
    };
  },
  async rounds({ tokenizer: name, text }) {
    const tokenizer = loaded.get(name);
    let parts = [...pieces(tokenizer, text)].map((piece) => (typeof piece === "number" ? [piece] : pieceIds(tokenizer, piece)));
    const rounds = [];
    for (;;) {
      const known = new Map();
      for (const part of parts)
        for (let place = 0; place + 1 < part.length; place++) {
          const newId = tokenizer.merges.get(part[place] * MERGE + part[place + 1]);
          if (newId !== undefined) known.set(newId, [part[place], part[place + 1], newId]);
        }
      const candidates = [...known.values()].sort((one, other) => one[2] - other[2]);
      rounds.push({ ids: parts.flat(), candidates });
      if (!candidates.length) break;
      parts = parts.map((part) => replacePair(part, ...candidates[0]));
    }
    const all = rounds.flatMap(({ ids, candidates }) => [...ids, ...candidates.flat()]);
    return { rounds, tokens: shownTokens(tokenizer, all), result: encode(tokenizer, text) };
  },
  async train({ text, steps, pattern }) {
    const split = pattern && patternRegex(pattern, embedded.classes);
    const parts = (split ? text.match(split) ?? [] : text ? [text] : []).map((piece) => [...new TextEncoder().encode(piece)]);
    return trainingStates(parts.flatMap((part, place) => (place ? [BOUNDARY, ...part] : part)), steps);
  },
  async unused({ tokenizer: name }) {
    const tokenizer = loaded.get(name);
    const { corpus } = tokenizer;
    if (!corpus) return { corpus: null };
    const ids = [...tokenizer.made.keys()].filter((id) => !corpus.counts[id]);
    return { corpus: corpus.name, ids: ids.slice(0, UNUSED_SHOWN), count: ids.length, of: tokenizer.made.size, tokens: shownTokens(tokenizer, ids) };
  },
  vocabularies: () => [...unigrams.keys()].map((name) => [name, name || "the one in the handout"]),
  // A file's tokenizer splits the text into words first. That of the handout takes it as it is, as in the handout.
  async lattice({ text, vocabulary }) {
    const unigram = unigrams.get(vocabulary) ?? unigrams.get("");
    const words = unigram === unigrams.get("") ? [text] : unigramWords(text);
    return latticeOf(unigram, words);
  },
};

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
  code: "This page's own JavaScript encodes",
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
    let ids = parts.flatMap((part, place) => (place ? [BOUNDARY, ...part] : part));
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
  },
};

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

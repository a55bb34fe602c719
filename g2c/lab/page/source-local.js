// Where the views of the exported page get their data: from the tokenizers in JavaScript. The same functions as those of
// source-server.js, with the same results.

const settings = JSON.parse(document.getElementById("data").textContent);
const tables = new Map(Object.entries(settings.tokenizers));
const [first] = tables.keys();
const corpusOf = (name) => (name === first ? settings.corpus : null);

const loaded = new Map();

function loadedTokenizer(name) {
  if (!loaded.has(name)) loaded.set(name, tokenizerOf(tables.get(name), settings.classes));
  return loaded.get(name);
}

// The vocabularies of the view Lattice: the one in the handout, and those of dropped files by their names.
const unigrams = new Map([["", unigramOf(settings.handout)]]);

function shownTokens(tokenizer, ids) {
  const special = new Set(tokenizer.special.values());
  const shown = [...new Set(ids)].map((id) => [id, { bytes: tokenHex(tokenizer, id), special: special.has(id) }]);
  return Object.fromEntries(shown.filter(([, { bytes }]) => bytes !== undefined));
}

const source = {
  exported: true,
  missing: [],
  // Returns the view that shows the tokenizer, or null: every view but Lattice.
  addTokenizer(name, data) {
    if (data?.model?.type === "Unigram") {
      unigrams.set(name, readUnigram(data));
      return "lattice";
    }
    tables.set(name, readTokenizer(data, settings.patterns));
    loaded.delete(name);
    return null;
  },
  async tokenizers() {
    return [...tables].map(([name, { special }]) => ({ name, title: name, part: 10_000, special: Object.keys(special), merges: true }));
  },
  async encode({ tokenizer: name, texts, ordinary }) {
    const tokenizer = loadedTokenizer(name);
    const ids = texts.map((text) => encode(tokenizer, text, { ordinary }));
    return { ids, tokens: shownTokens(tokenizer, ids.flat()) };
  },
  async token({ tokenizer: name, id }) {
    const tokenizer = loadedTokenizer(name);
    const corpus = corpusOf(name);
    const made = {};
    const parts = [id];
    for (const part of parts) {
      const pair = tokenizer.made.get(part);
      if (!pair || made[part]) continue;
      made[part] = pair;
      parts.push(...pair);
    }
    const order = [...tokenizer.made.keys()].indexOf(id);
    const merge = order < 0 ? null : order + 1;
    return { made, tokens: shownTokens(tokenizer, parts), merge, corpus: corpus?.name, count: corpus && (corpus.counts[id] ?? 0) };
  },
  async rounds({ tokenizer: name, text }) {
    const tokenizer = loadedTokenizer(name);
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
    const split = pattern && patternRegex(pattern, settings.classes);
    const parts = (split ? text.match(split) ?? [] : [text]).map((piece) => [...new TextEncoder().encode(piece)]);
    return trainingStates(parts.flatMap((part, place) => (place ? [BOUNDARY, ...part] : part)), steps);
  },
  async unused({ tokenizer: name }) {
    const tokenizer = loadedTokenizer(name);
    const corpus = corpusOf(name);
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

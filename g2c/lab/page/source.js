// Gives the views of the lab their data, computed from the tables of tokenizers that the page contains.

import { encode, latticeOf, roundsOf, tokenizerOf, trainingStates } from "./tokenizer.js";

const UNUSED_SHOWN = 200;

// `tokenizers` lists {name, title, table, corpus}, in which `corpus` is {name, counts} or null; `patterns` maps names to
// regexes. See `page_of` in g2c/lab/pages.py.
export function sourceOf({ tokenizers, patterns }) {
  const made = new Map(); // Name -> the tokenizer with its corpus, once it is used.
  const used = (name) => {
    const { table, corpus } = tokenizers.find((one) => one.name === name);
    if (!made.has(name)) made.set(name, { ...tokenizerOf(table), corpus });
    return made.get(name);
  };
  return {
    tokenizers,
    patterns,
    train: (text, pattern, steps) => trainingStates(text, patterns[pattern], steps),
    rounds: (name, text) => roundsOf(used(name), text),
    lattice: latticeOf,

    // Returns the IDs of texts. With `ordinary`, special tokens in them are plain text.
    encode: (name, texts, ordinary) => ({ ids: texts.map((text) => encode(used(name), text, ordinary)), tokens: used(name).tokens }),

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

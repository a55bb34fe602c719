// Gives the views of the lab their data, computed from the tables of tokenizers that the page contains.

import { HANDOUT, latticeOf, mergeAll, roundsOf, splitText, tokenizerOf, trainingStates, unigramOf } from "./tokenizer.js";

const UNUSED_SHOWN = 200;

// `tokenizers` lists {name, title, table, corpus}, in which `corpus` is {name, counts} or null; `missing` names published
// tokenizers that a command fetches. See `page_of` in g2c/lab/pages.py.
export function sourceOf({ tokenizers, missing }) {
  const made = new Map(); // Name -> the tokenizer, once it is used.
  const tokenizerNamed = (name) => {
    if (!made.has(name)) made.set(name, tokenizerOf(tokenizers.find((one) => one.name === name).table));
    return made.get(name);
  };
  const corpusOf = (name) => tokenizers.find((one) => one.name === name).corpus;
  const handout = unigramOf(HANDOUT);
  return {
    tokenizers,
    missing,
    train: trainingStates,

    // Returns the IDs of texts. With `ordinary`, special tokens in them are plain text.
    encode(name, texts, ordinary = false) {
      const tokenizer = tokenizerNamed(name);
      const idsOf = (text) => splitText(tokenizer, text, ordinary).flatMap((part) => mergeAll(tokenizer.merges, part));
      return { ids: texts.map(idsOf), tokens: tokenizer.tokens };
    },

    // Returns which tokens are made of which, the merge that made this one, and how often the corpus has it.
    token(name, id) {
      const [{ made, tokens }, corpus] = [tokenizerNamed(name), corpusOf(name)];
      return { made, tokens, merge: [...made.keys()].indexOf(id) + 1, corpus: corpus?.name, count: corpus && (corpus.counts[id] ?? 0) };
    },

    rounds: (name, text) => roundsOf(tokenizerNamed(name), text),

    // Returns the learned tokens that do not occur in the corpus.
    unused(name) {
      const [{ made, tokens }, corpus] = [tokenizerNamed(name), corpusOf(name)];
      if (!corpus) return { corpus: null };
      const ids = [...made.keys()].filter((id) => !corpus.counts[id]);
      return { corpus: corpus.name, ids: ids.slice(0, UNUSED_SHOWN), count: ids.length, of: made.size, tokens };
    },

    // Returns the lattice of a text with the handout's vocabulary.
    lattice: (text) => latticeOf(handout, text),
  };
}

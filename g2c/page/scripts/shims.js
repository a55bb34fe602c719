// Answers regexes.py and engine.py in the worker. The lists are Python's.

const { mergeAll, mergesOf, splitByRegex, trained } = await import("./tokenizer.js");

globalThis.splitText = splitByRegex;

globalThis.engineTraining = (list, steps, firstId) => {
  const states = trained(list.toJs(), firstId, steps);
  return [states.map(({ chosen }) => chosen).filter(Boolean), states.at(-1).ids];
};

globalThis.engineEncoding = (merges, parts) => {
  const known = mergesOf(merges.toJs());
  return parts.toJs().flatMap((part) => mergeAll(known, part));
};

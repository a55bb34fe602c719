// Answers regexes.py and engine.py in the worker. The lists are Python's.

const { mergeAll, mergesOf, mostFrequent, pairCounts, replacePair, splitByRegex } = await import("./tokenizer.js");

globalThis.splitText = splitByRegex;

globalThis.engineTraining = (list, steps, firstId) => {
  let ids = list.toJs();
  const learned = [];
  for (let newId = firstId; newId < firstId + steps; newId++) {
    const best = mostFrequent(pairCounts(ids));
    if (!best) break;
    learned.push([best[0], best[1], newId]);
    ids = replacePair(ids, best[0], best[1], newId);
  }
  return [learned, ids];
};

globalThis.engineEncoding = (merges, parts) => {
  const known = mergesOf(merges.toJs());
  return parts.toJs().flatMap((part) => mergeAll(known, part));
};

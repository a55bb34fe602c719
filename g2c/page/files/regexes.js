// Splits texts by regexes of JavaScript, for regexes.py.

const regexes = new Map();

// Returns the text between matches of a regex and the matches, in turn.
export function splitByRegex(source, text) {
  if (!regexes.has(source)) regexes.set(source, new RegExp(source, "gmu"));
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(regexes.get(source))) {
    parts.push(text.slice(end, match.index), match[0]);
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));
  return parts;
}

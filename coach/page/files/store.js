// Keeps the student's files in the browser's storage: each module's text, and the last versions that were tested.

const VERSIONS = 10;
const prefix = `g2c ${new URL(".", location.href).pathname} `; // Two courses on one host are kept apart.

// Says whether the value could be kept.
function write(name, value) {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

// Returns {text, date, versions: [{text, date, passed}]} of a module; null if nothing is kept.
export function kept(module) {
  try {
    return JSON.parse(localStorage.getItem(prefix + module));
  } catch {
    return null;
  }
}

export const keep = (module, text) => write(module, { versions: [], ...kept(module), text, date: Date.now() });

// Keeps a text that was tested, with the number of exercises that passed.
export function keepVersion(module, text, passed) {
  const entry = kept(module) ?? { text, date: Date.now(), versions: [] };
  const others = entry.versions.filter((version) => version.text !== text);
  return write(module, { ...entry, versions: [{ text, date: Date.now(), passed }, ...others].slice(0, VERSIONS) });
}

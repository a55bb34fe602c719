// Keeps the student's files in the browser's storage: each module's text, and the last versions that were tested.

const VERSIONS = 10;
const prefix = `g2c ${new URL(".", location.href).pathname} `; // Two courses on one host are kept apart.

// Returns why something could not be kept; "" if it was.
function write(name, value) {
  try {
    localStorage.setItem(prefix + name, JSON.stringify(value));
    return "";
  } catch (error) {
    return error.name === "QuotaExceededError" ? "the browser's storage for this site is full" : "the browser forbids this site to store anything";
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

// Calls `changed(module)` when another tab has written.
export function watchOtherTabs(changed) {
  window.addEventListener("storage", ({ key }) => key?.startsWith(prefix) && changed(key.slice(prefix.length)));
}

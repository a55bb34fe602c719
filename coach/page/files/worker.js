// The worker, with Pyodide, the course and the student's files. page.js sends it one message at a time; see session.py.

// In Firefox, a static import in a worker needs what the page's policy allows for workers: a blob.
const { loadPyodide } = await import("./pyodide/pyodide.mjs");
await import("./shims.js");

const MEMORY = 2 ** 30; // The bytes that Python may use before it raises a MemoryError.

const { grow } = WebAssembly.Memory.prototype;
WebAssembly.Memory.prototype.grow = function (pages) {
  if (this.buffer.byteLength + pages * 2 ** 16 > MEMORY) throw new RangeError("The memory of the page is used up.");
  return grow.call(this, pages);
};

// A timer for Python's alarm. Every few dozen instructions, Python looks into a buffer for a signal. Other pages share that
// buffer with a thread, for which a server must send special headers; this one looks at the clock instead.
const SIGALRM = 14;
let timer = null; // When it is due, and after how long again, in milliseconds.

globalThis.setTimer = (seconds, interval) => {
  const now = performance.now();
  const [due, every] = timer ?? [now, 0];
  timer = seconds > 0 ? [now + 1000 * seconds, 1000 * interval] : null;
  return [(due - now) / 1000, every / 1000];
};

const signals = {
  get 0() {
    const now = timer && performance.now();
    if (!timer || now < timer[0]) return 0;
    timer = timer[1] ? [now + timer[1], timer[1]] : null;
    return SIGALRM;
  },
  set 0(_) {},
};

async function load() {
  const version = new URL(import.meta.url).search;
  const bytes = async (name) => (await fetch(new URL(name + version, import.meta.url))).arrayBuffer();
  const fetched = Promise.all(["packages.zip", "course.zip"].map(bytes));
  const python = await loadPyodide({ stdout() {}, stderr() {}, env: { HOME: "/course" } });
  for (const archive of await fetched) python.unpackArchive(archive, "zip", { extractDir: "/course" });
  python.setInterruptBuffer(signals);
  python.runPython("import sys; sys.path.insert(0, '/course')");
  python.pyimport("coach.page.browser"); // First, because the others need what it gives to Python.
  const session = python.pyimport("coach.page.session");
  session.start();
  return [python, session];
}

const loaded = load();
loaded.catch((error) => postMessage(JSON.stringify({ failed: String(error) })));

globalThis.onmessage = async ({ data }) => {
  const [python, session] = await loaded;
  try {
    session.handle(data);
    postMessage(JSON.stringify({ free: python._module.HEAP8.length }));
  } catch (error) {
    postMessage(JSON.stringify({ ended: error.status ?? String(error) }));
  }
};

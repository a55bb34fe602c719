// Runs Python in a worker, one message at a time. A worker is replaced when it has been silent for too long, when the
// student's code has ended it, and when it uses much memory.

const SECONDS = 20; // Of silence. Python itself stops earlier whatever it can interrupt: see PAGE_LIMITS of session.py.
const FIRST_SECONDS = 60; // Of silence before the first test, because a slow computer imports for long.
const MEGABYTES = 400; // WebAssembly never gives memory back.

const version = new URL(import.meta.url).search;
let worker = null;
let ready = null; // What session.py says at its start: versions, and the reports of a worker that was ended.
let asked = null; // {message, on, done, heard, called, started} of the message that is being answered.
const waiting = [];
let told = () => {};

// Starts Python, and calls `tell` with "loading", {ready} and {failed}.
export function start(tell) {
  told = tell;
  renew();
  const patience = () => 1000 * (asked.started ? SECONDS : FIRST_SECONDS);
  setInterval(() => asked?.sent && performance.now() - asked.heard > patience() && end("never"), 500);
}

// Sends what `message()` returns once Python is free. Calls `on` with everything that session.py posts, and with {ending} if
// the worker was ended. Resolves when the message is done.
export function send(message, on) {
  return new Promise((done) => {
    waiting.push({ message, on, done });
    next();
  });
}

// Says whether a message is being answered, or waits.
export const isBusy = () => Boolean(asked || waiting.length);

// Stops the current message at the student's wish.
export const stop = () => asked && end(null);

function renew() {
  worker?.terminate();
  told("loading");
  const mine = (worker = new Worker(`worker.js${version}`, { type: "module" }));
  let isReady = false;
  worker.onmessage = ({ data }) => {
    if (mine !== worker) return;
    const event = JSON.parse(data);
    if (event.ready || event.failed) {
      isReady = Boolean(event.ready);
      ready = event.ready ?? ready;
      told(event);
    } else hear(event);
    if (isReady) next();
  };
  worker.onerror = () => told({ failed: "the browser could not start it" });
  worker.isReady = () => isReady;
}

function next() {
  if (asked || !waiting.length || !worker?.isReady()) return;
  asked = { ...waiting.shift(), heard: performance.now(), sent: true, called: "", started: "" };
  worker.postMessage(JSON.stringify(asked.message()));
}

function hear(event) {
  if (!asked) return;
  asked.heard = performance.now();
  if (event.called) asked.called = event.called;
  else if (event.line?.started) asked.started = event.line.started;
  if (event.ended !== undefined) return end("exit", event.ended);
  if (event.free !== undefined) {
    finish();
    if (event.free > MEGABYTES * 2 ** 20) renew();
    return;
  }
  asked.on(event);
}

function finish() {
  const { done } = asked;
  asked = null;
  done();
}

// Ends the worker. `how` says why the running test has failed; it is null if the student has stopped it.
function end(how, code) {
  const { on, called, started } = asked;
  const values = { ", in FUNCTION": called ? `, in ${called.split(".").pop()}` : "", HOW: typeof code === "number" ? `exit code ${code}` : code, "TEST::": started };
  const filled = (text) => Object.entries(values).reduce((made, [mark, value]) => made.replace(mark, () => value), text);
  const rows = how && ready.endings[how].map(([label, text, isMistake]) => [label, filled(text), isMistake]);
  on({ ending: how ? { test: started, outcome: "failed", rows } : null });
  finish();
  renew();
}

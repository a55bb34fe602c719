// Runs Python in a worker, one message at a time. A worker is replaced when it has been silent for too long, when the
// student's code has ended it, and when it uses much memory.

const SECONDS = 20; // Of silence. Python itself stops earlier whatever it can interrupt: see PAGE_LIMITS of session.py.
const MEGABYTES = 400; // WebAssembly never gives memory back.

// A worker that starts from a blob inherits the page's policy, so that no code in it reaches another host.
const program = new URL(`worker.js${new URL(import.meta.url).search}`, import.meta.url).href;
const blob = URL.createObjectURL(new Blob([`await import(${JSON.stringify(program)});`], { type: "text/javascript" }));

let worker = null;
let ready = null; // A promise: the worker is ready.
let endings = null; // Reports of an ended worker, which session.py sends at its start.
let asked = null; // {on, done, heard, called, test} of the message that is being answered.
let unanswered = 0;
let turn = Promise.resolve(); // Of the last message.
let tell = () => {}; // Shows a sentence.

// Starts Python. `show` gets sentences on how it goes.
export function start(show) {
  tell = show;
  renew();
  setInterval(() => asked && performance.now() - asked.heard > 1000 * SECONDS && end("never"), 500);
}

// Sends what `message()` returns once Python is free. Calls `on` with everything that session.py posts, and with {ending} if
// the worker was ended. Resolves when the message is done.
export function send(message, on) {
  unanswered++;
  turn = turn.then(async () => {
    await ready;
    await new Promise((done) => {
      asked = { on, done, heard: performance.now(), called: "", test: "" };
      worker.postMessage(JSON.stringify(message()));
    });
    asked = null;
    unanswered--;
  });
  return turn;
}

// Says whether a message is being answered, or waits.
export const isBusy = () => unanswered > 0;

// Stops the current message at the student's wish.
export const stop = () => asked && end(null);

function renew() {
  worker?.terminate();
  tell("Python is loading. You can already type.");
  const mine = (worker = new Worker(blob, { type: "module" }));
  const failed = (reason) => tell(`Python did not start: ${reason}. Reload the page, or use another browser.`);
  worker.onerror = () => failed("the browser could not start it");
  ready = new Promise((isReady) => {
    worker.onmessage = ({ data }) => {
      const event = JSON.parse(data);
      if (mine !== worker) return;
      if (event.ready) isReady((endings = event.ready));
      else if (event.failed) failed(event.failed);
      else hear(event);
    };
  });
}

function hear(event) {
  asked.heard = performance.now();
  if (event.called) asked.called = event.called;
  else if (event.ended !== undefined) end("exit", event.ended);
  else if (event.free !== undefined) {
    if (event.free > MEGABYTES * 2 ** 20) renew();
    asked.done();
  } else {
    asked.test = event.line?.started ?? asked.test;
    asked.on(event);
  }
}

// Ends the worker. `how` says why the running test has failed; it is null if the student has stopped it.
function end(how, code) {
  const { on, done, called, test } = asked;
  const where = called && `, in ${called.split(".").pop()}`;
  const values = { ", in FUNCTION": where, HOW: typeof code === "number" ? `exit code ${code}` : code, "TEST::": test };
  const filled = (text) => text.replace(/, in FUNCTION|HOW|TEST::/g, (mark) => values[mark]);
  const rows = how && endings[how].map(([label, text, isMistake]) => [label, filled(text), isMistake]);
  renew();
  on({ ending: how ? { test, outcome: "failed", rows } : null });
  done();
}

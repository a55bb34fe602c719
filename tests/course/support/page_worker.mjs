// Runs the worker of a page in Node.js: node page_worker.mjs FOLDER. Each line of standard input is a message to it; what it
// posts is printed, a line each.

import fs from "node:fs";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.argv[2]}/`);
globalThis.self = globalThis;
globalThis.postMessage = (message) => fs.writeSync(1, `${message}\n`);
globalThis.fetch = async (url) => new Response(fs.readFileSync(new URL(url)));
await import(new URL("worker.js", folder));
for await (const line of readline.createInterface({ input: process.stdin })) await globalThis.onmessage({ data: line });
process.exit(0);

// What a course gives to the Python in the worker, beside its files: nothing, or the course's own shims.js. That one imports
// by `await import(…)`, as worker.js does.

// A course's own shims.js, in place of this one, gives functions to the worker's Python. It imports by `await import(…)`.

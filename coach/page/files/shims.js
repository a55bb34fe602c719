// What a course gives to the Python in the worker, beside its files: nothing, or the course's own shims.js.

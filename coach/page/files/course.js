// What a course adds at the end of the page: nothing. A course that adds something has its own course.js, which takes this
// one's place. `addTo` gets an empty section; `ask(message, on)`, which sends a message to the course's Python; `save(name,
// content, type)`, which downloads a file; `stop()`, which ends what Python does; and `version`, the end of addresses.
// It returns `opened(module, isComplete)`, called when a module is opened and when all its tests pass, and `tested()`.

export const addTo = async () => ({ opened() {}, tested() {} });

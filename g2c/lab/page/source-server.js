// Where the views of `g2c lab` get their data: from the student's Python, through the server. What the student has not
// written yet (`todo`), the page computes itself.

const settings = JSON.parse(document.getElementById("data").textContent);

async function ask(question, details) {
  let response;
  try {
    response = await fetch(`/api/${question}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Lab-Token": settings.token },
      body: JSON.stringify(details ?? {}),
    });
  } catch {
    throw new Problem("The lab has stopped.", "Start it again with `g2c lab`, and open the address that it prints.");
  }
  const answer = await response.json().catch(() => ({}));
  if (answer.problem) throw new Problem(answer.problem.title, answer.problem.report, answer.problem.todo);
  if (!response.ok) throw new Problem("The lab did not answer.", answer.error ?? `Status ${response.status}.`);
  return answer;
}

const source = {
  exported: false,
  missing: [], // The published tokenizers whose tables are not here.
  tokenizers: async () => {
    const { tokenizers, missing } = await ask("tokenizers");
    source.missing = missing;
    return tokenizers;
  },
  encode: (details) => ask("encode", details),
  token: (details) => ask("token", details),
  rounds: (details) => ask("rounds", details),
  async train(details) {
    const answer = await ask("train", details);
    return answer.todo ? { ...trainingStates(answer.ids, details.steps), todo: answer.todo } : answer;
  },
  unused: (details) => ask("unused", details),
  async lattice(details) {
    const answer = await ask("lattice", details);
    return answer.todo ? { ...latticeOf(unigramOf(settings.handout), details.text ? [details.text] : []), todo: answer.todo } : answer;
  },
};

// Calls `saved(event)` after every save of an exercise file and whenever its tests have a result.
function watchExerciseFile(saved) {
  const events = new EventSource(`/events?token=${encodeURIComponent(settings.token)}`);
  events.addEventListener("message", (event) => saved(JSON.parse(event.data)));
  window.addEventListener("pagehide", () => events.close());
}

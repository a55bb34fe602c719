// Where the views of `g2c lab` get their data: from the student's Python, through the server. What the student has not
// written yet (`todo`), the page computes itself; with what it computes, it checks what is written.

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
  if (!response.ok) throw new Problem("The lab did not answer.", `Status ${response.status}.`);
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
    const right = trainingStates(answer.ids, details.steps);
    if (answer.todo) return { ...right, todo: answer.todo };
    const isRight = ({ ids, pairs, chosen }, step) => same([ids, pairs, chosen], [answer.states[step]?.ids, answer.states[step]?.pairs, answer.states[step]?.chosen]);
    const wrong = right.states.findIndex((state, step) => !isRight(state, step));
    return { ...answer, wrong: wrong < 0 ? null : wrong };
  },
  unused: (details) => ask("unused", details),
  async lattice(details) {
    const answer = await ask("lattice", details);
    if (answer.todo) return { ...latticeOf(unigramOf(settings.handout), [details.text]), todo: answer.todo };
    const highest = bestEdges(answer.edges).reduce((sum, { score }) => sum + score, 0);
    return { ...answer, highest };
  },
};

// Calls `saved()` after every save of an exercise file.
function watchExerciseFiles(saved) {
  let seen = null;
  const events = new EventSource(`/saves?token=${encodeURIComponent(settings.token)}`);
  events.addEventListener("message", ({ data }) => {
    if (seen !== null && seen !== data) saved();
    seen = data;
  });
  window.addEventListener("pagehide", () => events.close());
}

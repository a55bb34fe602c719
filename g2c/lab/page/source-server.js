// Where the views of `g2c lab` get their data: from the student's Python, through the server.

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
  if (answer.problem) throw new Problem(answer.problem.title, answer.problem.report);
  if (!response.ok) throw new Problem("The lab did not answer.", answer.error ?? `Status ${response.status}.`);
  return answer;
}

const source = {
  exported: false,
  code: "Your encode runs",
  tokenizers: async () => (await ask("tokenizers")).tokenizers,
  encode: (details) => ask("encode", details),
  token: (details) => ask("token", details),
  rounds: (details) => ask("rounds", details),
  train: (details) => ask("train", details),
  unused: (details) => ask("unused", details),
  lattice: (details) => ask("lattice", details),
};

// Calls `saved(event)` after every save of an exercise file and whenever its tests have a result.
function watchExerciseFile(saved) {
  const events = new EventSource(`/events?token=${encodeURIComponent(settings.token)}`);
  events.addEventListener("message", (event) => saved(JSON.parse(event.data)));
  window.addEventListener("pagehide", () => events.close());
}

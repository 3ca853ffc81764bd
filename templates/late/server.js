// What pages ask the server of `modeldocs serve`, and how they show a refusal.

/** Sends a request to the server; its answer, or an error with its message. */
async function askServer(server, method, path, body) {
  const headers = { "X-Modeldocs-Token": server.token, ...(body && { "Content-Type": "application/json" }) };
  const answer = await fetch(`api/${path}`, { method, headers, body: body && JSON.stringify(body), keepalive: method === "DELETE" });
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => null);
  throw Object.assign(new Error(told?.failure.reason ?? `the server answered ${answer.status}`), { failure: told?.failure });
}

/** A failure as pages show it. */
function failureBox(error) {
  const { failure } = error;
  const place = failure?.file && [failure.file, failure.line, failure.column].filter(Boolean).join(":");
  const box = made("div", { class: "mr-failure", role: "alert" });
  box.append(made("p", {}, place ? made("strong", {}, place) : "", place ? ": " : "", failure?.reason ?? error.message));
  if (failure?.fix) box.append(made("p", {}, made("strong", {}, "Fix:"), ` ${failure.fix}`));
  return box;
}

/** What both editors share: posts to the editor's own server, one after the other, so that no answer is overtaken by an older one,
    and one line that says what went wrong. */
export function connect(show) {
  const base = `${document.body.dataset.number}/`;
  const told = document.getElementById("told");
  let turn = Promise.resolve();
  async function send(action, body) {
    try {
      const answer = await fetch(base + action, {
        method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(await answer.text());
      show(await answer.json());
    } catch (error) {
      told.textContent = error instanceof TypeError ? "The editor has ended: start the command again" : error.message;
    }
  }
  return (action, body = {}) => (turn = turn.then(() => send(action, body)));
}

/** An element with text and children, made without markup. */
export function make(name, text = "", ...inner) {
  const element = Object.assign(document.createElement(name), { textContent: text });
  element.append(...inner);
  return element;
}

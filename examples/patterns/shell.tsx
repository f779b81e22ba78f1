import { computed, type ExecResult, handler, NAME, pattern, sandbox, UI, Writable } from "toolkeep/reactive";

export default pattern<
  { language: "python" | "node" },
  { history: ExecResult[] }
>(({ language }) => {
  const sb = sandbox({
    image: computed(() => language.get() === "python" ? "python:3.12" : "node:22"),
  });

  const history = Writable.of<ExecResult[]>([]);

  const run = handler<{ command: string }>(({ command }) => {
    const result = sb.exec(command);
    // result has .pending, .result, .error — same as exec()
    history.push(result.result);
  });

  return {
    [NAME]: "Shell",
    [UI]: (
      <div>
        {history.map((entry) => (
          <div>
            <pre>{entry.stdout}</pre>
            {entry.stderr && <pre class="stderr">{entry.stderr}</pre>}
          </div>
        ))}
        <common-input onsubmit={run} placeholder="$ " />
      </div>
    ),
    history,
    run,
  };
});

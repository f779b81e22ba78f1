import { type Async, generateText, NAME, pattern, sandbox, UI } from "toolkeep/reactive";

export default pattern<{ task: string }, { answer: Async<string> }>(({ task }) => {
  const sb = sandbox({ image: "node:22" });

  const answer = generateText({
    prompt: task,
    tools: {
      ...sb.tools(),
      // Expands to: shell, read_file, write_file, glob, browse
      // Each pre-bound to this sandbox instance
    },
  });

  return {
    [NAME]: "Agent",
    [UI]: (
      <div>
        {answer.pending && <ct-loader show-elapsed />}
        {answer.error && <pre class="error">{answer.error}</pre>}
        <pre>{answer.result}</pre>
      </div>
    ),
    answer,
  };
});

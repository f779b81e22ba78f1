import { computed, exec, NAME, pattern, UI } from "toolkeep/reactive";

export default pattern<{ code: string }>(({ code }) => {
  // Runs Python. Re-executes when `code` changes.
  const run = exec({
    command: computed(() => `python3 -c '${code.get()}'`),
    image: "python:3.12",
  });

  return {
    [NAME]: "Python Runner",
    [UI]: (
      <div>
        {run.pending && <ct-loader />}
        {run.result && <pre>{run.result.stdout}</pre>}
        {run.error && <pre class="error">{run.error}</pre>}
      </div>
    ),
  };
});

import { computed, exec, fetchData, NAME, pattern, UI } from "toolkeep/reactive";

export default pattern<{ repoUrl: string }>(({ repoUrl }) => {
  // 1. Fetch the repo metadata (existing built-in)
  const meta = fetchData({
    url: computed(() => `https://api.github.com/repos/${repoUrl.get()}`),
    mode: "json",
  });

  // 2. Clone and count lines (sandbox built-in)
  const stats = exec({
    command: computed(() =>
      `git clone --depth 1 https://github.com/${repoUrl.get()} /tmp/repo && ` +
      `find /tmp/repo -name '*.ts' | xargs wc -l | tail -1`
    ),
    image: "alpine/git",
  });

  // 3. Combine both with computed (plain built-in)
  const summary = computed(() => ({
    name: meta.result?.name ?? "loading...",
    stars: meta.result?.stargazers_count ?? 0,
    tsLines: parseInt(stats.result?.stdout ?? "0"),
  }));

  return {
    [NAME]: computed(() => `Repo: ${summary.get().name}`),
    [UI]: (
      <div>
        <p>Stars: {summary.stars}</p>
        <p>TypeScript lines: {summary.tsLines}</p>
      </div>
    ),
    summary,
  };
});

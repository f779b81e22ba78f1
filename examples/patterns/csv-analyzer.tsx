import { computed, exec, fetchData, NAME, pattern, UI } from "toolkeep/reactive";

export default pattern<{ csvUrl: string }>(({ csvUrl }) => {
  // Stage 1: fetch CSV
  const csv = fetchData({ url: csvUrl, mode: "text" });

  // Stage 2: process with Python (only runs when csv.result is ready)
  const analysis = exec({
    command: computed(() => {
      const data = csv.result;
      if (!data) return "echo 'waiting for data'";
      return `python3 -c "
import json, csv, io, sys
rows = list(csv.DictReader(io.StringIO('''${data}''')))
print(json.dumps({'count': len(rows), 'cols': list(rows[0].keys()) if rows else []}))"`;
    }),
    image: "python:3.12",
  });

  // Stage 3: generate chart with R (only runs when analysis is ready)
  const chart = exec({
    command: computed(() => {
      const stats = analysis.result;
      if (!stats || stats.exit_code !== 0) return "echo 'waiting'";
      return `Rscript -e "cat(jsonlite::toJSON(list(ready=TRUE)))"`;
    }),
    files: ["/tmp/chart.svg"],
    image: "r-base:latest",
  });

  return {
    [NAME]: "CSV Analyzer",
    [UI]: (
      <div>
        {csv.pending && <div>Fetching CSV... <ct-loader /></div>}
        {analysis.pending && <div>Analyzing... <ct-loader /></div>}
        {chart.pending && <div>Charting... <ct-loader /></div>}
        {chart.result?.files && (
          <div innerHTML={chart.result.files["/tmp/chart.svg"]} />
        )}
      </div>
    ),
  };
});

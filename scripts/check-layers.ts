import { layerProblems } from "./layers/layer-problems.ts"
import { readSources } from "./repository.ts"

const problems = layerProblems(await readSources())
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`)
process.exitCode = problems.length > 0 ? 1 : 0

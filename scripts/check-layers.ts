import { folderProblems } from "./layers/folder-problems.ts"
import { knownFolders } from "./layers/known-folders.ts"
import { layerProblems } from "./layers/layer-problems.ts"
import { readConsoleSources, readSources } from "./repository.ts"

const sources = await readSources()
const problems = [
  ...layerProblems(sources).map(({ file, line, message }) => `${file}:${line}: ${message}`),
  ...folderProblems(new Map([...sources, ...(await readConsoleSources())]), knownFolders),
]
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0

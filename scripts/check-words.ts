import { readDocuments, readSources } from "./repository.ts"
import { wordProblems } from "./words/word-problems.ts"

const files = new Map([...(await readSources()), ...(await readDocuments())])
const problems = wordProblems(files)
for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`)
process.exitCode = problems.length > 0 ? 1 : 0

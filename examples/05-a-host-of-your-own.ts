// Any sandbox with an API of its own becomes a host, and the conformance suite says what it keeps.
import assert from "node:assert/strict"
import { Bash } from "just-bash"
import { openToolkeep } from "toolkeep"
import { adaptHost } from "toolkeep/sandbox"
import { runConformance } from "toolkeep/testing"

const host = adaptHost({
  name: "plain-bash",
  summary: "just-bash as it comes, without a worker around it.",
  home: "/home/user",
  can: { isolation: "virtual", argumentLists: true },
  create: async () => {
    const bash = new Bash({ cwd: "/home/user" })
    return {
      exec: (command, { cwd, env, signal }) => bash.exec(command, { cwd, env: { ...env }, signal }),
      readFile: (path) => bash.fs.readFileBuffer(path),
      writeFile: (path, data, { append }) =>
        append ? bash.fs.appendFile(path, data) : bash.fs.writeFile(path, data),
      stat: async (path) => {
        if (!(await bash.fs.exists(path))) return null
        const { isDirectory, size, mtime, mode } = await bash.fs.stat(path)
        return { type: isDirectory ? "directory" : "file", size, modifiedMs: +mtime, mode }
      },
      readdir: async (path) =>
        (await bash.fs.readdir(path)).map((name) => ({ name, type: "file" as const })),
    }
  },
})

await using keep = await openToolkeep({ host })
const written = await keep.session().call("file.write", { path: "a.txt", content: "hello" })
assert(written.ok)

const report = await runConformance(host, { only: ["exit-codes", "file-content"] })
for (const { id, kept, how } of report.checks) console.log(kept ? "kept  " : "broken", id, how)
assert(report.checks.length > 0)

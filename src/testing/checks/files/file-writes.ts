import type { Workspace } from "../../../contract/index.ts"
import { defineChecks, when } from "../../measure/conformance-check.ts"
import { requireEqual, requireThat } from "../../measure/require.ts"

async function modeOf(workspace: Workspace, path: string): Promise<string> {
  return ((await workspace.stat(path)).mode & 0o777).toString(8)
}

const fileWritesPromises = {
  append: "an append adds to the end and keeps what was there",
  "append-creates": "an append to a file that does not exist makes it, with its directories",
  parents: "a write makes the directories that are missing",
  atomic: "a reader beside a writer sees the old content or the new, never a mixture",
  "nothing-left": "no write leaves a file of its own making behind, not even one that fails",
  mode: "a new file gets the permission bits it is given",
  "mode-kept": "a file that exists keeps its permission bits when it is written",
  "through-link":
    "a write to a link inside the workspace changes the file it leads to, and the link stays",
}

export const fileWrites = defineChecks("file-writes", fileWritesPromises, {
  async append({ workspace }) {
    await workspace.writeFile("log.txt", "one\n")
    await workspace.writeFile("log.txt", "two\n", { append: true })
    await workspace.exec("echo three >> log.txt")
    await workspace.writeFile("log.txt", new Uint8Array([52, 10]), { append: true })
    requireEqual("the text", await workspace.readFile("log.txt"), "one\ntwo\nthree\n4\n")
    return "text, bytes and a command's own append, in order"
  },
  async "append-creates"({ workspace }) {
    await workspace.writeFile("new/deep/log.txt", "first\n", { append: true })
    requireEqual("the text", await workspace.readFile("new/deep/log.txt"), "first\n")
    return "new/deep/log.txt was made"
  },
  async parents({ workspace }) {
    await workspace.writeFile("a/b/c/d/e.txt", "deep")
    const { stdout } = await workspace.exec("cat a/b/c/d/e.txt && cd a/b/c/d && ls")
    requireEqual("what a command found", stdout, "deepe.txt\n")
    return "four directories were made, and a command could enter them"
  },
  async atomic({ workspace }) {
    const contents = ["a", "b"].map((letter) => letter.repeat(500_000))
    await workspace.writeFile("target.txt", contents[0] ?? "")
    const [, reads, inside] = await Promise.all([
      ...readBesideWrites(workspace, contents),
      workspace.exec("for i in 1 2 3 4 5 6 7 8; do wc -c < target.txt; done"),
    ])
    const sizes = new Set(inside.stdout.trim().split(/\s+/))
    requireEqual("the sizes that a command saw", [...sizes], ["500000"])
    return `${reads} reads and 8 by a command beside 40 writes of 500,000 bytes`
  },
  async "nothing-left"({ workspace }) {
    await workspace.exec("mkdir -p place/directory")
    await workspace.writeFile("place/file.txt", "one")
    await workspace.writeFile("place/file.txt", "two")
    await workspace.writeFile("place/file.txt", "three", { append: true })
    await Promise.allSettled([
      workspace.writeFile("place/directory", "over a directory"),
      workspace.writeFile("place/file.txt/below", "below a file"),
      workspace.writeFile(`place/${"n".repeat(300)}`, "a name that is too long"),
    ])
    const { stdout } = await workspace.exec("ls -A place")
    requireEqual("what ls -A shows", stdout, "directory\nfile.txt\n")
    return "three writes that worked and three that failed left one file"
  },
  mode: when("fileModes", async ({ workspace }) => {
    const found: string[] = []
    for (const mode of [0o600, 0o640, 0o666, 0o777, 0o400]) {
      await workspace.writeFile(`file-${mode}`, "", { mode })
      found.push(await modeOf(workspace, `file-${mode}`))
    }
    requireEqual("the modes", found, ["600", "640", "666", "777", "400"])
    return "600, 640, 666, 777 and 400, whatever the umask"
  }),
  "mode-kept": when("fileModes", async ({ workspace }) => {
    await workspace.exec("echo old > script.sh; chmod 751 script.sh")
    await workspace.writeFile("script.sh", "new")
    const afterWrite = await modeOf(workspace, "script.sh")
    await workspace.writeFile("script.sh", "more", { mode: 0o600 })
    const afterMode = await modeOf(workspace, "script.sh")
    await workspace.writeFile("script.sh", "end", { append: true })
    const found = [afterWrite, afterMode, await modeOf(workspace, "script.sh")]
    requireEqual("the modes", found, ["751", "751", "751"])
    return "751 stayed through a write, a write with another mode and an append"
  }),
  async "through-link"({ workspace }) {
    await workspace.writeFile("real/file.txt", "old")
    await workspace.exec("ln -s real/file.txt link.txt")
    await workspace.writeFile("link.txt", "new")
    await workspace.writeFile("link.txt", "+", { append: true })
    const { stdout } = await workspace.exec("cat real/file.txt; readlink link.txt")
    requireEqual("the file and the link", stdout, "new+real/file.txt\n")
    return "a write and an append went through the link"
  },
})

/** Writes the contents in turns 40 times; reads until that is done, and resolves with how often. */
function readBesideWrites(
  workspace: Workspace,
  contents: readonly string[],
): [writing: Promise<void>, reading: Promise<number>] {
  let written = false
  const write = async () => {
    try {
      for (let round = 0; round < 40; round += 1) {
        await workspace.writeFile("target.txt", contents[round % contents.length] ?? "")
      }
    } finally {
      written = true
    }
  }
  const read = async () => {
    let reads = 0
    for (; !written; reads += 1) {
      const text = await workspace.readFile("target.txt")
      requireThat(contents.includes(text), `read ${reads + 1} was a mixture: ${text.length} bytes`)
    }
    return reads
  }
  return [write(), read()]
}

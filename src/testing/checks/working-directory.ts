import { workspaceAt } from "../../sandbox/index.ts"
import { defineChecks } from "../measure/define-checks.ts"
import { requireEqual, requireRefusal } from "../measure/require.ts"

const workingDirectoryPromises = {
  default: "a command starts in the sandbox's home, where relative paths begin",
  option: "a command starts in the directory it is given",
  pwd: "pwd and the parent directory are what they should be",
  names: "the directory of a command may have spaces, quotes and line breaks in its name",
  missing: "a command in a directory that does not exist fails as not-found and does not run",
  file: "a command in a directory that is a file fails as not-directory",
  child: "a child workspace starts commands and paths in its own directory and keeps deadlines",
}

export const workingDirectory = defineChecks("working-directory", workingDirectoryPromises, {
  async default({ workspace, sandbox }) {
    await workspace.writeFile("here.txt", "by a relative path")
    const { stdout } = await workspace.exec("cat here.txt; echo made > made.txt")
    const made = await workspace.readFile(`${sandbox.home}/made.txt`)
    requireEqual("both files", { stdout, made }, { stdout: "by a relative path", made: "made\n" })
    return `commands and relative paths met in ${sandbox.home}`
  },
  async option({ workspace, sandbox }) {
    await workspace.writeFile("deep/inside/mark.txt", "inside")
    const outputs: string[] = []
    for (const cwd of [`${sandbox.home}/deep/inside`, "deep/inside", "deep/../deep/./inside/"]) {
      outputs.push((await workspace.exec("cat mark.txt", { cwd })).stdout)
    }
    requireEqual("what it found there", outputs, ["inside", "inside", "inside"])
    return "as an absolute path, as a relative one and as one with dots"
  },
  async pwd({ workspace }) {
    await workspace.writeFile("one/two/mark.txt", "two")
    await workspace.writeFile("one/mark.txt", "one")
    const { stdout } = await workspace.exec('cat ../mark.txt; basename "$(pwd)"; basename "$PWD"', {
      cwd: "one/two",
    })
    requireEqual("the output", stdout, "onetwo\ntwo\n")
    return "`..`, pwd and $PWD agreed"
  },
  async names({ workspace }) {
    const names = [
      "with space",
      'it\'s "quoted"',
      "$HOME `id` $(id)",
      "line\nbreak",
      "-dash",
      "日本",
    ]
    for (const name of names) {
      await workspace.writeFile(`${name}/mark.txt`, name)
      const { stdout } = await workspace.exec("cat mark.txt", { cwd: name })
      requireEqual(`mark.txt in ${JSON.stringify(name)}`, stdout, name)
    }
    return `${names.length} names`
  },
  async missing({ workspace }) {
    const work = workspace.exec("echo ran > ../ran.txt", { cwd: "nowhere" })
    await requireRefusal("a command in a missing directory", work, "not-found")
    requireEqual("that it ran", await workspace.exists("ran.txt"), false)
    return "rejected as not-found"
  },
  async file({ workspace }) {
    await workspace.writeFile("file.txt", "no directory")
    const work = workspace.exec("true", { cwd: "file.txt" })
    await requireRefusal("a command in a file", work, "not-directory")
    return "rejected as not-directory"
  },
  async child({ workspace }) {
    await workspace.writeFile("child/mark.txt", "child")
    const child = workspaceAt(workspace, "child")
    await child.writeFile("made.txt", "made")
    const found = {
      command: (await child.exec("cat mark.txt made.txt")).stdout,
      parent: await workspace.readFile("child/made.txt"),
      deadline: (await child.exec("sleep 4", { timeoutMs: 200 })).exitCode,
    }
    requireEqual("what it found", found, { command: "childmade", parent: "made", deadline: 124 })
    return "a command, a file and a deadline through a child workspace"
  },
})

import { defineChecks, type Measure } from "../../measure/conformance-check.ts"
import { rejectionOf, requireEqual, requireRefusal } from "../../measure/require.ts"

/** A check that files with these names work through the workspace, in listings and in commands. */
function names(all: readonly string[]): Measure {
  return async ({ workspace }) => {
    for (const file of all) await workspace.writeFile(`names/${file}`, `content of ${file}`)
    const listed = (await workspace.readdir("names")).map((entry) => entry.name)
    requireEqual("the listing", listed.sort(), all.toSorted())
    for (const file of all) {
      const read = await workspace.readFile(`names/${file}`)
      const { stdout } = await workspace.exec('cat < "$NAME"', {
        cwd: "names",
        env: { NAME: file },
      })
      const expected = `content of ${file}`
      requireEqual(
        `${JSON.stringify(file)}, read and by a command`,
        [read, stdout],
        [expected, expected],
      )
    }
    return `${all.length} names, each written, listed, read and opened by a command`
  }
}

const fileNamesPromises = {
  unicode: "file names may be in any script",
  spaces: "file names may have spaces and tabs, also at their ends",
  "line-breaks": "file names may have line breaks and control characters",
  "shell-words": "file names may have all characters that a shell interprets",
  "leading-dash": "file names may begin with a dash",
  dots: "names that only look like special ones are ordinary",
  long: "file names may have 255 bytes",
  "too-long": "a file name of 256 bytes fails as name-too-long",
  deep: "paths may be 40 directories deep and 2,000 bytes long",
  "normal-forms":
    "a name in composed and one in decomposed form are two files, or one, but never confused",
  cleaned: "dots and doubled slashes in a path are resolved before anything is looked up",
  nul: "a path with a NUL character is refused, never cut there",
}

export const fileNames = defineChecks("file-names", fileNamesPromises, {
  unicode: names(["日本語.txt", "naïve", "🎉 party 🎉", "עברית", "Ω"]),
  spaces: names(["two words", " leading", "trailing ", "a\ttab", "   "]),
  "line-breaks": names([
    "two\nlines",
    "\nleading",
    "trailing\n",
    "carriage\rreturn",
    "escape\u001b[31m",
    "delete\u007f",
  ]),
  "shell-words": names([
    "$HOME",
    "$(id)",
    "`id`",
    "it's",
    '"quoted"',
    "back\\slash",
    "a;b&c|d",
    "*",
    "?",
    "[ab]",
    "{a,b}",
    "~",
    "#",
    "%s",
    "<in>",
  ]),
  "leading-dash": names(["-", "--", "-rf", "--help", "-n"]),
  dots: names(["...", ".hidden", "..a", "a..", ".git"]),
  long: names(["n".repeat(255), "é".repeat(127), "日".repeat(85)]),
  async "too-long"({ workspace }) {
    const name = "n".repeat(256)
    await requireRefusal("writing it", workspace.writeFile(name, "x"), "name-too-long")
    await requireRefusal("reading it", workspace.readFile(name), "name-too-long")
    return "a write and a read were refused as name-too-long"
  },
  async deep({ workspace }) {
    const path = `${"a-directory-with-a-name-of-forty-nine-characters/".repeat(40)}file.txt`
    await workspace.writeFile(path, "deep")
    const { stdout } = await workspace.exec(`cat ${path}`)
    requireEqual("both readings", [await workspace.readFile(path), stdout], ["deep", "deep"])
    return `a path of ${path.length} bytes`
  },
  async "normal-forms"({ workspace }) {
    const [composed, decomposed] = ["caf\u00e9", "cafe\u0301"] as const
    await workspace.writeFile(`forms/${composed}`, "composed")
    await workspace.writeFile(`forms/${decomposed}`, "decomposed")
    const count = (await workspace.readdir("forms")).length
    const read = [
      await workspace.readFile(`forms/${composed}`),
      await workspace.readFile(`forms/${decomposed}`),
    ]
    const expected = count === 1 ? ["decomposed", "decomposed"] : ["composed", "decomposed"]
    requireEqual("what was read", read, expected)
    return count === 1 ? "they are one file here" : "they are two files here"
  },
  async cleaned({ workspace, sandbox }) {
    await workspace.writeFile("./missing/../a//b/./file.txt", "clean")
    const found = {
      read: await workspace.readFile(`${sandbox.home}/a/../a/b/file.txt`),
      made: await workspace.exists("missing"),
    }
    requireEqual("what was found", found, { read: "clean", made: false })
    return "missing/../a//b/./file.txt was a/b/file.txt"
  },
  async nul({ workspace }) {
    await workspace.writeFile("cut", "whole")
    await rejectionOf("reading cut\\0.txt", workspace.readFile("cut\0.txt"))
    await rejectionOf("writing cut\\0.txt", workspace.writeFile("cut\0.txt", "changed"))
    await rejectionOf("running in .\\0", workspace.exec("true", { cwd: ".\0" }))
    const found = [await workspace.readFile("cut"), (await workspace.readdir(".")).length]
    requireEqual("what is there", found, ["whole", 1])
    return "a read, a write and a command were refused and changed nothing"
  },
})

import { defineChecks } from "../measure/define-checks.ts"
import { requireBytes, requireEqual } from "../measure/require.ts"
import { sampleBytes } from "../measure/sample-bytes.ts"

const fileContentPromises = {
  text: "text is read as it was written",
  bytes: "bytes are read as they were written",
  "part-of-buffer": "of a view into a larger buffer only the view is written",
  shorter: "a shorter content leaves nothing of the longer one before it",
  "seen-by-commands": "what is written through the workspace is there for the next command",
  "seen-by-workspace":
    "what a command writes is there for the workspace when the command has ended",
}

export const fileContent = defineChecks("file-content", fileContentPromises, {
  async text({ workspace }) {
    const texts = [
      "plain\n",
      "",
      "no newline",
      "\r\n mixed \r ends \n",
      "naïve 日本 🎉",
      "a\0b",
      "\ufeffmark",
    ]
    for (const text of texts) {
      await workspace.writeFile("text.txt", text)
      requireEqual("the text", await workspace.readFile("text.txt"), text)
    }
    return `${texts.length} texts, among them an empty one, line ends of all kinds and a byte order mark`
  },
  async bytes({ workspace }) {
    const bytes = sampleBytes(5_000_011, 12)
    await workspace.writeFile("bytes.bin", bytes)
    requireBytes("the bytes", await workspace.readFileBuffer("bytes.bin"), bytes)
    return `${bytes.length} bytes of every value, compared one by one`
  },
  async "part-of-buffer"({ workspace }) {
    const larger = sampleBytes(1_000, 13)
    await workspace.writeFile("view.bin", larger.subarray(100, 200))
    requireBytes("the bytes", await workspace.readFileBuffer("view.bin"), larger.slice(100, 200))
    return "100 bytes from the middle of 1,000"
  },
  async shorter({ workspace }) {
    await workspace.writeFile("file.txt", "a long content that was there before")
    await workspace.writeFile("file.txt", "short")
    requireEqual("the text", await workspace.readFile("file.txt"), "short")
    await workspace.writeFile("file.txt", "")
    requireEqual("the size", (await workspace.stat("file.txt")).size, 0)
    return "36 bytes became 5, and then none"
  },
  async "seen-by-commands"({ workspace }) {
    await workspace.writeFile("by-us.txt", "first\n")
    await workspace.writeFile("by-us.txt", "second\n", { append: true })
    const { stdout } = await workspace.exec("cat by-us.txt; rm by-us.txt")
    requireEqual("what cat saw", stdout, "first\nsecond\n")
    requireEqual("that it exists after rm", await workspace.exists("by-us.txt"), false)
    return "cat saw a write and an append, and what rm removed is gone"
  },
  async "seen-by-workspace"({ workspace }) {
    await workspace.exec(
      "mkdir -p a/b; echo one > a/b/c.txt; echo two >> a/b/c.txt; mv a/b/c.txt a/d.txt",
    )
    const found = {
      text: await workspace.readFile("a/d.txt"),
      names: (await workspace.readdir("a")).map(({ name, type }) => `${name} ${type}`),
    }
    requireEqual("what was found", found, {
      text: "one\ntwo\n",
      names: ["b directory", "d.txt file"],
    })
    return "a directory, an append and a rename by a command"
  },
})

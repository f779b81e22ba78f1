import { defineChecks, type Measure } from "../../measure/conformance-check.ts"
import { requireBytes, requireEqual, requireThat } from "../../measure/require.ts"
import { sampleBytes } from "../../measure/sample-files.ts"

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

const mebibyte = 1024 * 1024

interface Range {
  readonly offset?: number
  readonly length?: number
}

/** A check that these ranges of a file of 10,000 bytes are read exactly. */
function ranges(all: readonly Range[]): Measure {
  return async ({ workspace }) => {
    const bytes = sampleBytes(10_000, 14)
    await workspace.writeFile("ranges.bin", bytes)
    for (const range of all) {
      const { offset = 0, length = bytes.length } = range
      const expected = bytes.subarray(offset, offset + length)
      requireBytes(
        JSON.stringify(range),
        await workspace.readFileBuffer("ranges.bin", range),
        expected,
      )
    }
    return `${all.map((range) => JSON.stringify(range)).join(", ")} of 10,000 bytes`
  }
}

const fileRangesPromises = {
  middle: "a range of a file is read exactly",
  open: "a range without a length goes to the end, one without an offset begins at the start",
  "past-end": "a range past the end gives what there is, which may be nothing",
  nothing: "a range of length 0 is empty",
  "bytes-not-characters": "ranges count bytes, not characters",
  "big-file": "a small range of a big file is read without reading the rest",
}

export const fileRanges = defineChecks("file-ranges", fileRangesPromises, {
  middle: ranges([
    { offset: 0, length: 1 },
    { offset: 4_097, length: 3_001 },
    { offset: 9_999, length: 1 },
  ]),
  open: ranges([{ offset: 9_000 }, { length: 1_000 }, {}]),
  "past-end": ranges([
    { offset: 9_990, length: 1_000 },
    { offset: 10_000 },
    { offset: 10_000, length: 10 },
    { offset: 2 ** 40, length: 10 },
    { offset: 0, length: 2 ** 40 },
  ]),
  nothing: ranges([
    { offset: 0, length: 0 },
    { offset: 5_000, length: 0 },
  ]),
  async "bytes-not-characters"({ workspace }) {
    await workspace.writeFile("text.txt", "é日🎉")
    const bytes = await workspace.readFileBuffer("text.txt", { offset: 2, length: 3 })
    requireEqual("bytes 2 to 4 of é日🎉", new TextDecoder().decode(bytes), "日")
    return "bytes 2 to 4 of a text with characters of 2, 3 and 4 bytes"
  },
  async "big-file"({ workspace }) {
    const base = sampleBytes(mebibyte, 15)
    await workspace.writeFile("32", repeated(base, 32))
    let [wholeMs, rangeMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    // The fastest of each: a busy machine makes some of them slow, and none of them fast.
    for (const at of [31, 1, 20, 7, 25, 13]) {
      const whole = millisecondsOf(async () => {
        const all = await workspace.readFileBuffer("32")
        requireEqual("the size", all.length, 32 * mebibyte)
      })
      wholeMs = Math.min(wholeMs, await whole)
      const range = millisecondsOf(async () => {
        const offset = at * mebibyte + 1_000
        const bytes = await workspace.readFileBuffer("32", { offset, length: 4_096 })
        requireBytes(`the range at ${offset}`, bytes, base.subarray(1_000, 5_096))
      })
      rangeMs = Math.min(rangeMs, await range)
    }
    const how = `4 KiB took ${rangeMs.toFixed(1)} ms, all 32 MiB ${wholeMs.toFixed(1)} ms`
    requireThat(rangeMs < wholeMs / 4, how)
    return how
  },
})

function repeated(bytes: Uint8Array, times: number): Uint8Array {
  const all = new Uint8Array(bytes.length * times)
  for (let at = 0; at < times; at += 1) all.set(bytes, at * bytes.length)
  return all
}

async function millisecondsOf(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

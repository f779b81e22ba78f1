import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  openSpeaking,
  type Speaking,
  type Spoken,
  textOf,
} from "../../test/support/dialects/dialect-fixture.ts"
import { inTime } from "../../test/support/in-time.ts"
import { bubblewrapHost } from "../sandbox/index.ts"
import { cloudflare } from "./tables/cloudflare.ts"
import { flynn } from "./tables/flynn.ts"

/** Each of these fails on the sample code of the document that the vocabulary comes from. */
let speaking: Speaking
let directory: string
let spoken: Spoken
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "toolkeep-flaws-"))
  await chmod(directory, 0o755)
  speaking = await openSpeaking(bubblewrapHost({ directory }))
  spoken = speaking.speak(cloudflare)
})
afterAll(async () => {
  await speaking[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

async function call(tool: string, input: object) {
  const answer = await spoken.call(tool, input)
  const { content: _, ...rest } = Object(answer)
  return { ...rest, ...JSON.parse(textOf(answer)) }
}

describe("the samples over Cloudflare Sandbox", () => {
  it("C2.timeout: drop timeout_ms; here it ends the command", async () => {
    await inTime(async (timeout_ms) => {
      const late = await call("shell", { command: "echo first; sleep 1000", timeout_ms })
      expect(late).toMatchObject({ stdout: "first\n", exit_code: 124, isError: true })
    })
  })

  it("C2.result, C10.exit: make every exit code 0 or 1; here it is the command's own", async () => {
    expect(await call("shell", { command: "exit 3" })).toEqual({
      stdout: "",
      stderr: "",
      exit_code: 3,
      isError: true,
    })
    expect(await call("shell", { command: "echo out; echo err >&2" })).toEqual({
      stdout: "out\n",
      stderr: "err\n",
      exit_code: 0,
    })
  })

  it("C3.range, C3.result: ignore offset and limit and leave out size; here all three count", async () => {
    await call("write_file", { path: "letters", content: "abcdefghij" })
    const piece = await call("read_file", { path: "letters", offset: 3, limit: 4 })
    expect(piece).toEqual({ content: "defg", size: 10 })
  })

  it("C4.append, C4.result: leave out size and append by reading first; here many appends at once lose nothing", async () => {
    expect(await call("write_file", { path: "log", content: "zero\n" })).toEqual({
      ok: true,
      size: 5,
    })
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`)
    await Promise.all(
      lines.map((content) => call("write_file", { path: "log", content, append: true })),
    )
    const last = await call("write_file", { path: "log", content: "é\n", append: true })
    const { content, size } = await call("read_file", { path: "log" })
    expect(content.split("\n").sort()).toEqual(`zero\n${lines.join("")}é\n`.split("\n").sort())
    expect([last.size, size]).toEqual([Buffer.byteLength(content), Buffer.byteLength(content)])
  })

  it("C4: append to what is no text by decoding it; here its bytes stay as they are", async () => {
    await call("shell", { command: "printf '\\377\\000' > bytes" })
    await call("write_file", { path: "bytes", content: "end", append: true })
    const { stdout } = await call("shell", { command: "od -An -tx1 bytes" })
    expect(stdout.trim()).toBe("ff 00 65 6e 64")
  })

  it("C2.directory, C5: leave paths unquoted; here any name is one name", async () => {
    const name = "a b; touch owned $(touch owned) 'c'"
    await call("write_file", { path: `${name}/x.txt`, content: "1" })
    expect(await call("shell", { command: "ls", working_dir: name })).toMatchObject({
      stdout: "x.txt\n",
      exit_code: 0,
    })
    const { files } = await call("glob", { pattern: "*.txt", cwd: name })
    expect(files).toEqual(["x.txt"])
    expect(await call("shell", { command: "ls owned*" })).toMatchObject({ isError: true })
  })

  it("C7.created, C7.again: always say created and ignore the image; here both are true to what happened", async () => {
    expect(await call("sandbox_create", { sandbox: "one" })).toEqual({
      sandbox: "one",
      created: true,
    })
    expect(await call("sandbox_create", { sandbox: "one" })).toEqual({
      sandbox: "one",
      created: false,
    })
    const wrong = await spoken.call("sandbox_create", { sandbox: "two", image: "x:1" })
    expect(wrong).toMatchObject({ isError: true, content: expect.stringContaining('"host"') })
  })

  it("C8.fields: list names only; here each comes with its image and status", async () => {
    const { sandboxes } = await call("sandbox_list", {})
    expect(sandboxes).toContainEqual({ name: "one", image: "host", status: "running" })
  })

  it("C9.tree: send a tar through text and lose to_path's last part; here every byte arrives, where it was meant", async () => {
    const make =
      "mkdir -p src/deep && head -c 100000 /dev/urandom > src/deep/bytes && ln -s deep/bytes src/link"
    await call("shell", { command: make })
    const sum = await call("shell", { command: "sha256sum < src/deep/bytes" })
    const moved = await call("transfer", {
      from_sandbox: "default",
      from_path: "src",
      to_sandbox: "one",
      to_path: "app/static files",
      recursive: true,
    })
    expect(moved).toMatchObject({ ok: true })
    expect(moved.bytes).toBeGreaterThanOrEqual(100_000)
    const there = { sandbox: "one", working_dir: "app/static files" }
    expect(await call("shell", { ...there, command: "sha256sum < deep/bytes" })).toEqual(sum)
    expect(await call("shell", { ...there, command: "readlink link; ls" })).toMatchObject({
      stdout: "deep/bytes\ndeep\nlink\n",
    })
  })

  it("C9.file, C9.bytes: count characters; here bytes are bytes", async () => {
    await call("write_file", { path: "é.txt", content: "ééé" })
    const place = { from_sandbox: "default", from_path: "é.txt", to_sandbox: "one", to_path: "é" }
    expect(await call("transfer", place)).toEqual({ ok: true, bytes: 6 })
  })

  it("C10.unknown, C10.thrown: an unknown tool and a failure are errors with words", async () => {
    expect(await spoken.call("shel", {})).toEqual({
      content: "Unknown tool: shel",
      isError: true,
    })
    expect(await spoken.call("read_file", { path: "none" })).toMatchObject({
      content: '"/home/user/none" does not exist.',
      isError: true,
    })
  })

  it("C3: read_file gives a file only, and ranges of bytes side by side lose nothing", async () => {
    await call("shell", { command: "mkdir -p directory" })
    expect(await spoken.call("read_file", { path: "directory" })).toEqual({
      content: '"directory" is a directory, not a file.',
      isError: true,
    })
    await call("write_file", { path: "wide", content: "ééé" })
    const first = await call("read_file", { path: "wide", offset: 0, limit: 3 })
    const second = await call("read_file", { path: "wide", offset: 3, limit: 3 })
    expect([first, second]).toEqual([
      { content: "éé", size: 6 },
      { content: "é", size: 6 },
    ])
    await call("shell", { command: "printf '\\377' > bytes" })
    expect(await spoken.call("read_file", { path: "bytes" })).toEqual({
      content: '"bytes" is not UTF-8 text here.',
      isError: true,
    })
  })

  it("C5: glob answers as `cd cwd && ls -d pattern` does", async () => {
    const make =
      "mkdir -p g/src/deep g/empty g/.hidden && cd g && touch a.txt src/b.txt src/deep/c.txt"
    await call("shell", { command: `${make} .hidden/d.txt && ln -s src link` })
    const glob = async (pattern: string) => (await call("glob", { pattern, cwd: "g" })).files
    const listed = async (pattern: string) => {
      const command = `shopt -s globstar; LC_ALL=C ls -d ${pattern} 2>/dev/null || true`
      const { stdout } = await call("shell", { command, working_dir: "g" })
      return stdout.split("\n").filter((line: string) => line !== "")
    }
    const patterns = ["*", "*.txt", "*/*.txt", "src/*", "**/*.txt", "{a,src/b}.txt", "s*/d*/c.txt"]
    for (const pattern of [...patterns, ".hidden/*", "a.txt", "none*", "*/", "link/*"]) {
      expect([pattern, await glob(pattern)]).toEqual([pattern, await listed(pattern)])
    }
    expect(await glob("/home/user/g/*.txt")).toEqual(["/home/user/g/a.txt"])
    expect(await spoken.call("glob", { pattern: "/etc/*" })).toMatchObject({ isError: true })
  })
})

describe("the samples of Flynn", () => {
  it("Y12: a timeout that only stops waiting; here the work itself ends", async () => {
    const slow = { command: "sleep 1; touch survived", timeout: 100 }
    expect(await speaking.speak(flynn).call("shell.exec", slow)).toMatchObject({
      success: false,
      error: "Tool 'shell.exec' timed out after 100ms",
    })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await call("shell", { command: "ls survived" })).toMatchObject({ isError: true })
  })

  it("Y13.counted: output cut by characters that are called bytes; here the count is of bytes", async () => {
    const command = "yes é | head -n 100000 | tr -d '\\n'"
    const output = textOf(await speaking.speak(flynn).call("shell.exec", { command }))
    const hidden = Number(/\[Output truncated - (\d+) bytes hidden\]/.exec(output)?.[1])
    const kept = Buffer.byteLength(output.replace(/[^é]/g, ""))
    expect(kept + hidden).toBe(200_000)
  })
})

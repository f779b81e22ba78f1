import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  openSpeaking,
  type Speaking,
  type Spoken,
} from "../../test/support/dialects/dialect-fixture.ts"
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

interface Answer {
  readonly content: string
  readonly isError?: true
}

async function call(tool: string, input: object) {
  const { content, ...rest } = (await spoken.call(tool, input)) as Answer
  return { ...rest, ...JSON.parse(content) }
}

describe("the samples over Cloudflare Sandbox", () => {
  it("C2: drop timeout_ms; here it ends the command", async () => {
    const late = await call("shell", { command: "echo first; sleep 1000", timeout_ms: 300 })
    expect(late).toMatchObject({ stdout: "first\n", exit_code: 124, isError: true })
  })

  it("C2, C10: make every exit code 0 or 1; here it is the command's own", async () => {
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

  it("C3: ignore offset and limit and leave out size; here all three count", async () => {
    await call("write_file", { path: "letters", content: "abcdefghij" })
    const piece = await call("read_file", { path: "letters", offset: 3, limit: 4 })
    expect(piece).toEqual({ content: "defg", size: 10 })
  })

  it("C4: leave out size and append by reading first; here many appends at once lose nothing", async () => {
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

  it("C2, C5: leave paths unquoted; here any name is one name", async () => {
    const name = "a b; touch owned $(touch owned) 'c'"
    await call("write_file", { path: `${name}/x.txt`, content: "1" })
    expect(await call("shell", { command: "ls", working_dir: name })).toMatchObject({
      stdout: "x.txt\n",
      exit_code: 0,
    })
    const { files } = await call("glob", { pattern: "*.txt", cwd: name })
    expect(files).toEqual([`${name}/x.txt`])
    expect(await call("shell", { command: "ls owned*" })).toMatchObject({ isError: true })
  })

  it("C7: always say created and ignore the image; here both are true to what happened", async () => {
    expect(await call("sandbox_create", { sandbox: "one" })).toEqual({
      sandbox: "one",
      created: true,
    })
    expect(await call("sandbox_create", { sandbox: "one" })).toEqual({
      sandbox: "one",
      created: false,
    })
    const wrong = (await spoken.call("sandbox_create", { sandbox: "two", image: "x:1" })) as Answer
    expect(wrong).toMatchObject({ isError: true, content: expect.stringContaining('"host"') })
  })

  it("C8: list names only; here each comes with its image and status", async () => {
    const { sandboxes } = await call("sandbox_list", {})
    expect(sandboxes).toContainEqual({ name: "one", image: "host", status: "running" })
  })

  it("C9: send a tar through text and lose to_path's last part; here every byte arrives, where it was meant", async () => {
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

  it("C9: count characters; here bytes are bytes", async () => {
    await call("write_file", { path: "é.txt", content: "ééé" })
    const place = { from_sandbox: "default", from_path: "é.txt", to_sandbox: "one", to_path: "é" }
    expect(await call("transfer", place)).toEqual({ ok: true, bytes: 6 })
  })

  it("C10: an unknown tool and a failure are errors with words", async () => {
    expect(await spoken.call("shel", {})).toEqual({
      content: 'tool_not_found: There is no tool "shel"; did you mean "shell"?',
      isError: true,
    })
    expect(await spoken.call("read_file", { path: "none" })).toMatchObject({
      content: expect.stringContaining("not_found"),
      isError: true,
    })
  })
})

describe("the samples of Flynn", () => {
  it("Y12: a timeout that only stops waiting; here the work itself ends", async () => {
    const slow = { command: "sleep 1; touch survived", timeout: 100 }
    expect(await speaking.speak(flynn).call("shell.exec", slow)).toMatchObject({ success: true })
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await call("shell", { command: "ls survived" })).toMatchObject({ isError: true })
  })

  it("Y13: output cut by characters that are called bytes; here the count is of bytes", async () => {
    const command = "yes é | head -n 100000 | tr -d '\\n'"
    const answer = (await speaking.speak(flynn).call("shell.exec", { command })) as {
      output: string
    }
    const { output } = answer
    const hidden = Number(/(\d[\d,]*) bytes/.exec(output)?.[1]?.replaceAll(",", ""))
    const kept = Buffer.byteLength(output.replace(/[^é]/g, ""))
    expect(kept + hidden).toBe(200_000)
  })
})

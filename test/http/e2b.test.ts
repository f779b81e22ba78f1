import { gzipSync } from "node:zlib"
import {
  CommandExitError,
  E2B,
  FileNotFoundError,
  InvalidArgumentError,
  NotFoundError,
  Sandbox,
  SandboxNotFoundError,
  type SandboxOpts,
  Template,
  TimeoutError,
  Volume,
} from "e2b"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type E2bServer, serveE2b } from "../support/http/e2b-fixture.ts"

let server: E2bServer
let sandbox: Sandbox
beforeAll(async () => {
  server = await serveE2b()
  sandbox = await Sandbox.create({
    ...{ ...server.connection, timeoutMs: 600_000 },
    ...{ envs: { GREETING: "hello" }, metadata: { kind: "shared & more" } },
  })
})
afterAll(() => server?.[Symbol.asyncDispose]())

const create = (options: SandboxOpts = {}) => Sandbox.create({ ...server.connection, ...options })

/** Resolves with the first value that fits. */
function firstOf<Value>(fits: (value: Value) => boolean) {
  const { promise, resolve } = Promise.withResolvers<Value>()
  return { promise, hear: (value: Value) => void (fits(value) && resolve(value)) }
}

/** What a call that can't be served says. */
const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => "no refusal",
    (error: Error) => error.message,
  )

describe("a command of E2B's SDK", () => {
  it("R12: prints, in the environment of its sandbox, and ends with its own exit code", async () => {
    const told: string[] = []
    const run = sandbox.commands.run(
      'echo "$GREETING $NAME"; pwd; echo wrong >&2; [[ $$ == $BASHPID ]]',
      {
        ...{ envs: { NAME: "Ada" }, cwd: "/tmp" },
        onStdout: (text) => void told.push(`out ${text}`),
        onStderr: (text) => void told.push(`err ${text}`),
      },
    )
    const wanted = { exitCode: 0, stdout: "hello Ada\n/tmp\n", stderr: "wrong\n", error: undefined }
    expect(await run).toEqual(wanted)
    expect(told.join("")).toContain("out hello Ada\n")
    expect(told).toContain("err wrong\n")
    const failed = sandbox.commands.run("echo before; exit 3")
    await expect(failed).rejects.toBeInstanceOf(CommandExitError)
    await expect(failed).rejects.toMatchObject({
      exitCode: 3,
      stdout: "before\n",
      error: "exit status 3",
    })
    // Without the option pipefail, which the tools of models have.
    expect(await sandbox.commands.run("false | true")).toMatchObject({ exitCode: 0 })
    await expect(sandbox.commands.run("for in")).rejects.toMatchObject({ exitCode: 2, stdout: "" })
    await expect(sandbox.commands.run("true", { cwd: "/nowhere" })).rejects.toThrow(
      new InvalidArgumentError('[invalid_argument] There is no directory "/nowhere".'),
    )
  })

  it("R12: passes on every byte of a large output, in order", async () => {
    const count = 200_000
    const { stdout, stderr } = await sandbox.commands.run(`seq ${count}; seq ${count} >&2`)
    const whole = Array.from({ length: count }, (_, index) => `${index + 1}\n`).join("")
    expect(stdout === whole).toBe(true)
    expect(stderr === whole).toBe(true)
  })

  it("R12: reads what is sent to it while it runs, until its input ends", async () => {
    const answered = firstOf((text: string) => text.includes("got é"))
    const cat = await sandbox.commands.run(
      'while read -r line; do echo "got $line"; done; echo end',
      {
        ...{ background: true, stdin: true, onStdout: answered.hear },
      },
    )
    await cat.sendStdin("é\n")
    await answered.promise
    await sandbox.commands.sendStdin(cat.pid, new TextEncoder().encode("last\n"))
    await cat.closeStdin()
    expect(await cat.wait()).toMatchObject({ stdout: "got é\ngot last\nend\n" })
    const deaf = await sandbox.commands.run("cat; exec sleep 1003", { background: true })
    await expect(deaf.sendStdin("x")).rejects.toThrow(/was started without an input/)
    expect(await deaf.kill()).toBe(true)
  })

  it("R12: is listed while it runs, and killed with all that it has started", async () => {
    const sleeper = await sandbox.commands.run("sleep 1004 & sleep 1005", { background: true })
    expect(await sandbox.commands.list()).toEqual([
      {
        ...{ pid: sleeper.pid, cmd: "/bin/bash", envs: {} },
        args: ["-l", "-c", "sleep 1004 & sleep 1005"],
      },
    ])
    expect(await sandbox.commands.kill(sleeper.pid)).toBe(true)
    await expect(sleeper.wait()).rejects.toMatchObject({ exitCode: -1, error: "signal: killed" })
    expect(await sandbox.commands.list()).toEqual([])
    expect(await sandbox.commands.kill(sleeper.pid)).toBe(false)
    const lines = async () =>
      (await sandbox.commands.run("cat /proc/[0-9]*/cmdline | tr '\\0' ' '; true")).stdout
    await expect.poll(lines).not.toMatch(/sleep 100[45]/)
  })

  it("R12: is not listed from the moment on that it was killed", async () => {
    for (let round = 0; round < 5; round += 1) {
      const loud = await sandbox.commands.run("yes", { background: true, timeoutMs: 0 })
      expect(await loud.kill()).toBe(true)
      expect(await sandbox.commands.list()).toEqual([])
      expect(await loud.kill()).toBe(false)
      const pty = await sandbox.pty.create({ cols: 80, rows: 24, onData: () => {} })
      expect(await sandbox.pty.kill(pty.pid)).toBe(true)
      expect(await sandbox.commands.list()).toEqual([])
      expect(await sandbox.pty.kill(pty.pid)).toBe(false)
      await Promise.allSettled([loud.wait(), pty.wait()])
    }
  })

  it("R12: goes on without its client, and another one connects by its pid", async () => {
    const first = firstOf((text: string) => text.includes("ready"))
    const command = "echo ready; until [[ -e go ]]; do sleep 0.05; done; echo gone; exit 7"
    const started = await sandbox.commands.run(command, { background: true, onStdout: first.hear })
    await first.promise
    await started.disconnect()
    const again = await sandbox.commands.connect(started.pid)
    await sandbox.files.write("go", "")
    await expect(again.wait()).rejects.toMatchObject({ exitCode: 7, stdout: "gone\n" })
    await expect(sandbox.commands.connect(started.pid)).rejects.toBeInstanceOf(NotFoundError)
  })

  it("R12: is killed at its timeout, which a client that only listens does not bring about", async () => {
    const late = sandbox.commands.run("exec sleep 1006", { timeoutMs: 300 })
    await expect(late).rejects.toBeInstanceOf(TimeoutError)
    const longer = await sandbox.commands.run("exec sleep 1007", { background: true, timeoutMs: 0 })
    // On a busy machine its time is over before it has heard anything.
    const heard = sandbox.commands.connect(longer.pid, { timeoutMs: 300 })
    await expect(heard.then((one) => one.wait())).rejects.toBeInstanceOf(TimeoutError)
    const listed = async () => (await sandbox.commands.list()).map(({ pid }) => pid)
    await expect.poll(listed).toEqual([longer.pid])
    await longer.kill()
  })

  it("R12: runs as the one user that a sandbox has, and as no other", async () => {
    expect(await sandbox.commands.run("id -un", { user: "user" })).toMatchObject({
      stdout: "user\n",
    })
    const words = await refusal(sandbox.commands.run("id", { user: "root" }))
    expect(words).toContain('have one user, "user". Leave out the user "root".')
    expect(await refusal(sandbox.files.read("x", { user: "root" }))).toContain("501: Sandboxes of")
  })
})

describe("a terminal of E2B's SDK", () => {
  it("R12: draws, is typed in, has a size, and outlives its client", async () => {
    const decoder = new TextDecoder()
    const encoder = new TextEncoder()
    let drawn = ""
    const waiting = new Map<string, () => void>()
    const draws = (text: string) =>
      new Promise<void>((resolve) => {
        if (drawn.includes(text)) resolve()
        else waiting.set(text, resolve)
      })
    const onData = (bytes: Uint8Array) => {
      drawn += decoder.decode(bytes, { stream: true })
      for (const [text, found] of waiting) if (drawn.includes(text)) found()
    }
    const options = { cols: 90, rows: 20, onData, envs: { MARK: "here" }, cwd: "/tmp" }
    const pty = await sandbox.pty.create(options)
    const type = (text: string) => sandbox.pty.sendInput(pty.pid, encoder.encode(text))
    await type("stty size; echo $MARK-$PWD $TERM\n")
    await draws("20 90")
    await draws("here-/tmp xterm-256color")
    await sandbox.pty.resize(pty.pid, { cols: 101, rows: 31 })
    await type("stty size\n")
    await draws("31 101")
    await pty.disconnect()
    const again = await sandbox.pty.connect(pty.pid, { onData })
    await type("echo again-$((40 + 2)); exit 5\n")
    await draws("again-42")
    await expect(again.wait()).rejects.toMatchObject({ exitCode: 5 })
    expect(await sandbox.pty.kill(pty.pid)).toBe(false)
    const idle = await sandbox.pty.create({ cols: 80, rows: 24, onData: () => {} })
    expect(await sandbox.pty.kill(idle.pid)).toBe(true)
    await expect(idle.wait()).rejects.toMatchObject({ exitCode: -1 })
  })
})

describe("files of E2B's SDK", () => {
  it("R12: are written and read in every form, byte for byte", async () => {
    const bytes = Uint8Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 256)
    // A deep comparison of so many numbers takes a minute.
    const isSame = (read: Uint8Array) => Buffer.compare(read, bytes) === 0
    const files = sandbox.files
    expect(await files.write("data/whole.bin", bytes.buffer)).toEqual({
      ...{ name: "whole.bin", type: "file", path: "/home/user/data/whole.bin" },
      metadata: undefined,
    })
    expect(isSame(await files.read("data/whole.bin", { format: "bytes" }))).toBe(true)
    const blob = await files.read("data/whole.bin", { format: "blob" })
    expect(blob.size).toBe(bytes.length)
    const stream = await files.read("data/whole.bin", { format: "stream" })
    expect(isSame(new Uint8Array(await new Response(stream).arrayBuffer()))).toBe(true)
    await files.write("data/streamed.bin", new Blob([bytes]).stream())
    await files.write("data/packed.bin", bytes.buffer, { gzip: true })
    await files.write([
      { path: 'data/ein "name".txt', data: "grüße\n" },
      { path: "/tmp/empty", data: "" },
    ])
    const { stdout } = await sandbox.commands.run(
      "cd data && md5sum *.bin | cut -c1-32 | sort -u | wc -l",
    )
    expect(stdout).toBe("1\n")
    expect(await files.read('data/ein "name".txt', { gzip: true })).toBe("grüße\n")
    expect(await files.read("/tmp/empty")).toBe("")
    expect(isSame(await files.read("~/data/../data/whole.bin", { format: "bytes" }))).toBe(true)
    const words = await refusal(files.write("x", "y", { metadata: { a: "b" } }))
    expect(words).toBe("501: Files have no metadata here.")
  })

  it("R12: are described, listed, moved and removed", async () => {
    const files = sandbox.files
    expect(await files.makeDir("tree/below")).toBe(true)
    expect(await files.makeDir("tree/below")).toBe(false)
    await files.write("tree/file.txt", "12345")
    await sandbox.commands.run(
      "chmod 640 tree/file.txt; ln -s file.txt tree/link; ln -s none tree/dead",
    )
    expect(await files.getInfo("tree/file.txt")).toEqual({
      ...{ name: "file.txt", type: "file", path: "/home/user/tree/file.txt", size: 5, mode: 0o640 },
      ...{ permissions: "-rw-r-----", owner: "user", group: "user" },
      ...{ modifiedTime: expect.any(Date), symlinkTarget: undefined, metadata: undefined },
    })
    const names = async (depth = 1) =>
      (await files.list("tree", { depth })).map(({ name, type }) => `${name} ${type}`)
    expect(await names()).toEqual(["below dir", "dead symlink", "file.txt file", "link file"])
    expect(await files.getInfo("tree/link")).toMatchObject({
      ...{ type: "file", symlinkTarget: "/home/user/tree/file.txt" },
    })
    expect(await files.rename("tree/file.txt", "tree/below/moved.txt")).toMatchObject({
      path: "/home/user/tree/below/moved.txt",
    })
    expect(await names(2)).toContain("moved.txt file")
    expect(await files.exists("tree/file.txt")).toBe(false)
    await files.remove("tree")
    await files.remove("tree")
    expect(await files.exists("tree")).toBe(false)
    await expect(files.read("tree/file.txt")).rejects.toBeInstanceOf(FileNotFoundError)
    await expect(files.list("tree")).rejects.toBeInstanceOf(FileNotFoundError)
    await expect(files.rename("tree", "bush")).rejects.toBeInstanceOf(FileNotFoundError)
    await expect(files.read("/tmp")).rejects.toBeInstanceOf(InvalidArgumentError)
    await expect(files.list("/tmp/empty")).rejects.toBeInstanceOf(InvalidArgumentError)
  })

  it("R12: are watched, also below a directory and with what is there", async () => {
    await sandbox.files.makeDir("watched/below")
    const seen: string[] = []
    const written = firstOf((event: { name: string; type: string }) => event.type === "write")
    const removed = firstOf((event: { name: string; type: string }) => event.type === "remove")
    const ended = Promise.withResolvers<Error | undefined>()
    const handle = await sandbox.files.watchDir(
      "watched",
      (event) => {
        seen.push(`${event.type} ${event.name} ${event.entry?.size ?? "none"}`)
        written.hear(event)
        removed.hear(event)
      },
      { recursive: true, includeEntry: true, onExit: (error) => ended.resolve(error) },
    )
    // What hosts call a file or a tree that is on its way is not told.
    await sandbox.commands.run(
      "mkdir watched/.toolkeep-tree && echo >watched/.toolkeep-tree/part && echo >watched/below/.toolkeep-1",
    )
    await sandbox.files.write("watched/below/new.txt", "123")
    await written.promise
    await sandbox.files.remove("watched/below/new.txt")
    await removed.promise
    expect(seen).toEqual([
      ...["create below/new.txt 3", "write below/new.txt 3", "remove below/new.txt none"],
    ])
    await handle.stop()
    await ended.promise
    const missing = sandbox.files.watchDir("nowhere", () => {})
    await expect(missing).rejects.toBeInstanceOf(FileNotFoundError)
  })

  it("R12: have signed addresses, each good for one file, one operation and its time", async () => {
    await sandbox.files.write("signed file.txt", "signed")
    const url = await sandbox.downloadUrl("signed file.txt", { useSignatureExpiration: 60 })
    expect(await (await fetch(url)).text()).toBe("signed")
    const statusOf = async (address: string, init?: RequestInit) =>
      (await fetch(address, init)).status
    expect(await statusOf(url, { method: "POST", body: "x" })).toBe(401)
    expect(await statusOf(url.replace("signed+file", "other"))).toBe(401)
    expect(await statusOf(url.replace(/expiration=\d+/, "expiration=9999999999"))).toBe(401)
    const past = await sandbox.downloadUrl("signed file.txt", { useSignatureExpiration: -1 })
    expect(await statusOf(past)).toBe(401)
    const form = new FormData()
    form.append("file", new Blob(["uploaded"]), "ignored.txt")
    const put = await sandbox.uploadUrl("up.txt")
    expect(await statusOf(put, { method: "POST", body: form })).toBe(200)
    expect(await sandbox.files.read("up.txt")).toBe("uploaded")
  })

  it("R12: that are no gzip are refused, and nothing of them is written", async () => {
    const put = await sandbox.uploadUrl("broken.txt")
    const send = (body: Uint8Array<ArrayBuffer>) =>
      fetch(put, { method: "POST", body, headers: { "Content-Encoding": "gzip" } })
    const packed = new Uint8Array(gzipSync("x".repeat(100_000)))
    for (const body of [new Uint8Array(200).fill(7), packed.slice(0, 50)]) {
      expect((await send(body)).status).toBe(400)
      expect(await sandbox.files.exists("broken.txt")).toBe(false)
    }
  })
})

describe("a sandbox of E2B's SDK", () => {
  it("R12: is created, found, listed page by page, and killed once", async () => {
    const own = await create({ metadata: { run: "list ä" } })
    const other = await create({ metadata: { run: "list ä", second: "yes" } })
    expect(await own.isRunning()).toBe(true)
    const info = await own.getInfo()
    expect(info).toMatchObject({
      ...{ sandboxId: own.sandboxId, templateId: "base", state: "running", cpuCount: 2 },
      ...{ memoryMB: 2048, metadata: { run: "list ä" } },
    })
    expect(info.endAt.getTime() - info.startedAt.getTime()).toBe(300_000)
    const query = { metadata: { run: "list ä" } }
    const pages = Sandbox.list({ ...server.connection, query, limit: 1 })
    const [newest] = await pages.nextItems()
    expect(pages.hasNext).toBe(true)
    const [oldest] = await pages.nextItems()
    expect([newest?.sandboxId, oldest?.sandboxId]).toEqual([other.sandboxId, own.sandboxId])
    expect(pages.hasNext).toBe(false)
    await own.setTimeout(900_000)
    const longer = (await own.getInfo()).endAt.getTime() - info.startedAt.getTime()
    expect(longer).toBeGreaterThan(800_000)
    expect(await other.kill()).toBe(true)
    expect(await other.kill()).toBe(false)
    expect(await other.isRunning()).toBe(false)
    await expect(other.getInfo()).rejects.toBeInstanceOf(SandboxNotFoundError)
    await expect(other.commands.run("true")).rejects.toBeInstanceOf(SandboxNotFoundError)
    await expect(Sandbox.connect(other.sandboxId, server.connection)).rejects.toBeInstanceOf(
      SandboxNotFoundError,
    )
    const client = new E2B(server.connection)
    const again = await client.Sandbox.connect(own.sandboxId)
    expect(await again.commands.run("echo same")).toMatchObject({ stdout: "same\n" })
    await own.kill()
  })

  it("R12: keeps its files in a pause, and comes back by itself where its creator said so", async () => {
    const own = await create({ lifecycle: { onTimeout: "pause", autoResume: true } })
    await own.files.write("kept.txt", "kept")
    expect(await own.pause()).toBe(true)
    expect((await own.getInfo()).state).toBe("paused")
    expect(await own.files.read("kept.txt")).toBe("kept")
    expect((await own.getInfo()).state).toBe("running")
    await own.kill()
    const plain = await create()
    await plain.files.write("kept.txt", "kept too")
    expect(await plain.pause()).toBe(true)
    expect(await plain.pause()).toBe(false)
    expect(await plain.isRunning()).toBe(false)
    const listed = Sandbox.list({ ...server.connection, query: { state: ["paused"] } })
    expect((await listed.nextItems()).map((one) => one.sandboxId)).toEqual([plain.sandboxId])
    await plain.connect()
    expect(await plain.files.read("kept.txt")).toBe("kept too")
    expect(await refusal(plain.pause({ keepMemory: true }))).toBe(
      "501: A pause keeps files here, and no memory.",
    )
    await plain.kill()
  })

  it("R12: ends at its time, or is paused then", async () => {
    const short = await create()
    const resting = await create({ timeoutMs: 1_000, lifecycle: { onTimeout: "pause" } })
    const running = await short.commands.run("exec sleep 1008", { background: true })
    // Not from its creation on: on a busy machine that would be over before the command has begun.
    await short.setTimeout(1_000)
    await expect(running.wait()).rejects.toThrow()
    await expect.poll(() => short.isRunning()).toBe(false)
    await expect(short.getInfo()).rejects.toBeInstanceOf(SandboxNotFoundError)
    await expect.poll(async () => (await resting.getInfo()).state).toBe("paused")
    await resting.kill()
  })

  it("R12: says what it uses", async () => {
    const [measure, ...others] = await sandbox.getMetrics()
    expect(others).toEqual([])
    expect(measure).toMatchObject({ cpuCount: 2, memTotal: 2 * 1024 ** 3 })
    expect(measure?.memUsed).toBeGreaterThan(0)
    expect(measure?.diskUsed).toBeGreaterThan(0)
  })

  it("R12: works with git through its commands", async () => {
    await sandbox.git.init("repository")
    await sandbox.files.write("repository/a.txt", "a")
    await sandbox.git.add("repository")
    const author = { authorName: "Ada", authorEmail: "ada@example.com" }
    await sandbox.git.commit("repository", "First", author)
    expect((await sandbox.git.status("repository")).isClean).toBe(true)
  })

  it("R12: refuses in words what it can't have, instead of leaving it out", async () => {
    const { connection } = server
    expect(await refusal(create({ allowInternetAccess: true }))).toMatch(/^501: .*the network that/)
    expect(await refusal(create({ network: { allowOut: ["1.1.1.1"] } }))).toMatch(/^501: .*network/)
    expect(await refusal(create({ mcp: { time: {} } }))).toMatch(/^501: MCP servers/)
    expect(await refusal(create({ volumeMounts: { "/v": "a" } }))).toBe(
      "501: Volumes are not served.",
    )
    expect(await refusal(create({ template: "no-such-image" }))).toMatch(/no-such-image/)
    expect(await refusal(sandbox.createSnapshot())).toMatch(/^501: Snapshots are not served/)
    expect(await refusal(sandbox.listSnapshots().nextItems())).toMatch(/^501: Snapshots/)
    expect(await refusal(Sandbox.deleteSnapshot("x", connection))).toMatch(/^501: Templates/)
    expect(await refusal(sandbox.fork())).toMatch(/^501: Forks/)
    expect(await refusal(sandbox.updateNetwork({ allowInternetAccess: false }))).toMatch(
      /^501: The net/,
    )
    expect(await refusal(Volume.create("v", connection))).toBe("501: Volumes are not served.")
    expect(await refusal(Template.exists("t", connection))).toMatch(/501: Templates are not served/)
    const offline = await create({ allowInternetAccess: false })
    await offline.kill()
  })
})

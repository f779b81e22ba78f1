import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { describe, expect, it, onTestFinished } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"
import { commandLine } from "../support/built-package.ts"
import { openMcpFixture } from "./fault-ground.ts"

interface Run {
  readonly home: string
  readonly input?: string
  /** Of the shell, before the command line is started in its place. */
  readonly limits?: string
}

/** Starts the command line with what the machine has left for it. */
function start(args: readonly string[], { home, limits = ":" }: Run) {
  const child = spawn(
    "sh",
    ["-c", `${limits}; exec "$@"`, "sh", process.execPath, commandLine, ...args],
    {
      cwd: repositoryRoot,
      env: { ...process.env, TOOLKEEP_HOME: home },
    },
  )
  child.stdin.on("error", () => {})
  return child
}

async function run(args: readonly string[], options: Run) {
  const child = start(args, options)
  child.stdin.end(options.input ?? "")
  const [stdout, stderr, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "exit"),
  ])
  return { stdout, stderr, exitCode: Number(exitCode) }
}

function openDisk(megabytes: number): string {
  const disk = join(openMcpFixture(), "disk")
  mkdirSync(disk)
  const size = `size=${megabytes}m,mode=755`
  execFileSync("mount", ["-t", "tmpfs", "-o", size, "tmpfs", disk])
  onTestFinished(() => {
    execFileSync("umount", ["-l", disk])
  })
  return disk
}

/** Until nothing more goes in. */
function fill(disk: string): void {
  try {
    execFileSync("sh", ["-c", `cat /dev/zero >${disk}/fill`], { stdio: "ignore" })
  } catch {
    // It is full.
  }
}

/** A disk of its own, with a home on it that has been used. */
async function openHome(megabytes: number): Promise<{ disk: string; home: string }> {
  const disk = openDisk(megabytes)
  const home = join(disk, "home")
  const used = await run(["call", "--session", "shop", "shell.exec", '{"command":"echo 1 >a"}'], {
    home,
  })
  expect(used.exitCode).toBe(0)
  return { disk, home }
}

const remount = (disk: string, options: string) =>
  execFileSync("mount", ["-o", `remount,${options}`, disk])

/** What a server prints until it is up; from then on nobody reads its output. */
async function readStart(output: AsyncIterable<Buffer>): Promise<string> {
  let printed = ""
  for await (const part of output) {
    printed += part
    if (isUp(printed)) break
  }
  return printed
}

const isUp = (printed: string) => printed.includes("Ctrl-C stops the server")

/** How a client's first request is answered by the server that printed this. */
function clientOf(printed: string) {
  const url = new URL(/http:\/\/127[^\s"]+/.exec(printed)?.[0] ?? "")
  const token = /Bearer ([\w-]+)/.exec(printed)?.[1]
  const call = async () => {
    const answer = await fetch(url, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
        params: {
          ...{ protocolVersion: "2025-06-18", capabilities: {} },
          clientInfo: { name: "test", version: "1" },
        },
      }),
    })
    return answer.status
  }
  return { url, token, call }
}

/** Everything that opens or writes something of Toolkeep's own. */
const commands: readonly (readonly string[])[] = [
  ["call", "--session", "shop", "shell.exec", '{"command":"echo hi"}'],
  ["call", "--session", "new", "shell.exec", '{"command":"echo hi"}'],
  ["call", "shell.exec", '{"command":"echo hi"}'],
  ["call", "memory.write", '{"namespace":"notes","content":"a"}'],
  ["call", "artifact.share", '{"filename":"a.txt","content":"a"}'],
  ["up", "--port", "0"],
]

/** What it said, in a sentence for a person or in one envelope; never where in the program. */
function requireSentence(
  args: readonly string[],
  said: { readonly stdout: string; readonly stderr: string },
) {
  const shown = `${args.join(" ")}: ${said.stdout}${said.stderr}`
  expect(shown).not.toMatch(/\n\s+at |node:|Unhandled|unexpected error/)
  if (said.stdout === "") expect(said.stderr, shown).toMatch(/^toolkeep: [^\n]+\.\n$/)
  else expect(JSON.parse(said.stdout), shown).toHaveProperty("ok")
}

describe("a machine that gives nothing more", () => {
  it.each<[string, (place: { disk: string; home: string }) => void, RegExp]>([
    ["is completely full", ({ disk }) => fill(disk), /disk is full|is full/],
    [
      "is read-only",
      ({ disk }) => remount(disk, "ro"),
      /read-only|can't be (made|opened)|could not (be|copy)/i,
    ],
  ])(
    "F18: a home whose disk %s is told in a sentence by every command, and nothing is lost",
    async (_, spoil, reason) => {
      const place = await openHome(24)
      spoil(place)
      for (const args of commands) {
        const said = await run(args, place)
        expect([args[0], said.exitCode]).toEqual([args[0], 1])
        requireSentence(args, said)
        expect(said.stdout + said.stderr).toMatch(reason)
      }
      remount(place.disk, "rw,size=80m")
      const [again] = commands
      expect(await run(again ?? [], place)).toMatchObject({ exitCode: 0, stderr: "" })
      const read = ["call", "--session", "shop", "shell.exec", '{"command":"cat a"}']
      expect(JSON.parse((await run(read, place)).stdout)).toMatchObject({
        result: { stdout: "1\n" },
      })
    },
  )

  it("F18: a home that is a file is told in a sentence", async () => {
    const home = join(openMcpFixture(), "file")
    writeFileSync(home, "")
    for (const args of commands) requireSentence(args, await run(args, { home }))
  })

  it("F18: after transfers into a full home are refused, a batch of calls still comes to its end", async () => {
    const home = join(openMcpFixture(), "home")
    const fill = "for i in 1 2 3; do head -c 3M /dev/urandom >f$i; done; sleep 60"
    const call = (tool: string, input: object) => JSON.stringify({ tool, input })
    const transfer = (from_path: string, to_path: string) =>
      call("sandbox.transfer", {
        ...{ from_sandbox: "a", from_path, to_sandbox: "b", to_path, recursive: true },
      })
    const lines = [
      call("shell.exec", {
        command: "mkdir d; head -c 9M /dev/urandom >d/big; echo >small",
        sandbox: "a",
      }),
      call("sandbox.create", { sandbox: "b", limits: { disk_bytes: 4 * 2 ** 20 } }),
      call("shell.exec", { command: fill, sandbox: "b" }),
      transfer("d", "copy"),
      transfer("d/big", "copy"),
      transfer("small", "copy"),
    ]
    const { stdout, stderr, exitCode } = await run(["call", "--batch"], {
      home,
      input: lines.join("\n"),
    })
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).envelope)
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, false, false, false, false])
    expect(answers[5].message).toContain("no space is left")
    expect([stderr, exitCode]).toEqual(["", 1])
  })

  it("F18: without file descriptors to give, calls are answered and nothing is thrown", async () => {
    const home = join(openMcpFixture(), "home")
    const call = ["call", "--host", "bubblewrap", "shell.exec", '{"command":"echo hi"}']
    await run(call, { home })
    let refused = 0
    for (let files = 25; files <= 40; files += 3) {
      const said = await run(call, { home, limits: `ulimit -n ${files}` })
      requireSentence(call, said)
      const envelope = JSON.parse(said.stdout)
      if (!envelope.ok) refused += 1
      else expect(envelope.result.stdout).toBe("hi\n")
    }
    expect(refused).toBeGreaterThan(0)
  })

  it("F18: a server whose file descriptors are all taken by connections serves again when they are closed", async () => {
    const home = join(openMcpFixture(), "home")
    const server = start(["up", "--port", "0"], { home, limits: "ulimit -n 120" })
    onTestFinished(() => {
      server.kill("SIGKILL")
    })
    let noted = ""
    server.stderr.on("data", (part) => {
      noted += part
    })
    const { url, call } = clientOf(await readStart(server.stdout))
    const sockets: Socket[] = Array.from({ length: 200 }, () =>
      connect(Number(url.port), "127.0.0.1").on("error", () => {}),
    )
    await Promise.allSettled([call(), call(), call()])
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => call().catch(() => 0)).toBe(200)
    const exited = once(server, "exit")
    server.kill("SIGTERM")
    expect(await exited).toEqual([0, null])
    expect(noted).not.toMatch(/\n\s+at /)
  })

  it.each<[string, () => Promise<{ server: ChildProcess; printed: string }>]>([
    [
      "a pipe that nobody reads any more",
      async () => {
        const server = start(["up", "--port", "0", "--results", "both"], {
          home: join(openMcpFixture(), "home"),
        })
        return { server, printed: await readStart(server.stdout) }
      },
    ],
    [
      "a file on a disk that is full",
      async () => {
        const disk = openDisk(1)
        const log = join(disk, "log")
        const limits = `exec >${log} 2>&1`
        const server = start(["up", "--port", "0", "--results", "both"], {
          home: join(openMcpFixture(), "home"),
          limits,
        })
        await expect.poll(() => existsSync(log) && isUp(readFileSync(log, "utf8"))).toBe(true)
        fill(disk)
        return { server, printed: readFileSync(log, "utf8") }
      },
    ],
  ])("F18: a server whose calls are shown on %s goes on serving", async (_, startUp) => {
    const { server, printed } = await startUp()
    onTestFinished(() => {
      server.kill("SIGKILL")
    })
    const { url, token } = clientOf(printed)
    const client = new Client({ name: "test", version: "1.0.0" })
    const requestInit = { headers: { Authorization: `Bearer ${token}` } }
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
    onTestFinished(() => client.close())
    for (const text of ["one", "two", "three"]) {
      const call = { name: "shell_exec", arguments: { command: `echo ${text}` } }
      expect(await client.callTool(call)).toMatchObject({
        structuredContent: { ok: true, result: { stdout: `${text}\n` } },
      })
    }
    const exited = once(server, "exit")
    server.kill("SIGTERM")
    expect(await exited).toEqual([0, null])
  })
})

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { OutputChunk, Workspace } from "../../../contract/index.ts"
import type { Sandbox } from "../../host/host.ts"
import { createWorkspace } from "../../workspace/create-workspace.ts"
import { memoryHost } from "./memory-host.ts"

let sandbox: Sandbox
let workspace: Workspace

beforeAll(async () => {
  sandbox = await memoryHost().create({ name: "default" })
  workspace = createWorkspace(sandbox)
})

afterAll(() => sandbox.destroy())

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (error) => ({ kind: error.kind, field: error.field, message: error.message }),
  )

describe("what it promises", () => {
  it("F15: says what a virtual shell can do and what it can't", async () => {
    const host = memoryHost({ diskBytes: 1_000_000, memoryBytes: 300_000_000 })
    expect(await host.probe()).toEqual({ kind: "ready" })
    expect(host.can).toEqual({
      host: "memory",
      isolation: "virtual",
      liveOutput: false,
      argumentLists: true,
      fileModes: true,
      networks: ["none"],
      background: false,
      ports: false,
      languages: { bash: ["bash", "-c"] },
      sleep: true,
      snapshots: false,
      checkpoints: true,
      durable: false,
      home: "/home/user",
      images: ["virtual"],
      shell: { name: "virtual bash", lacks: expect.arrayContaining(["trap"]) },
      imageRemedy: expect.stringContaining("no images"),
      ripgrep: null,
      limits: { memoryBytes: 300_000_000, diskBytes: 1_000_000, processes: null, processors: null },
    })
  })

  it("F15: is a home directory of a user on a machine that says it is virtual", async () => {
    const { stdout, stderr } = await workspace.exec(
      "pwd; echo $HOME $USER $PATH; whoami; id -un; hostname; uname -a; uname -m; nproc; ls -d /tmp",
    )
    expect({ stdout: stdout.split("\n"), stderr }).toEqual({
      stdout: [
        "/home/user",
        "/home/user user /usr/bin:/bin",
        "user",
        "user",
        "toolkeep",
        "Linux toolkeep 0.0.0-virtual #1 virtual bash, no kernel x86_64 GNU/Linux",
        "x86_64",
        "1",
        "/tmp",
        "",
      ],
      stderr: "",
    })
    expect([workspace.cwd, workspace.roots]).toEqual(["/home/user", ["/home/user", "/tmp"]])
  })

  it("F15: runs no programs of the machine and reaches no network", async () => {
    const { stdout, stderr } = await workspace.exec(
      "for c in node python3 curl wget git sqlite3 js-exec; do $c || echo $?; done",
    )
    expect(stdout).toBe("127\n".repeat(7))
    expect(stderr.match(/^bash: \S+: command not found$/gm)).toHaveLength(7)
  })
})

describe("a command", () => {
  it("F10, F11: has its exit code, both streams, a directory, an environment and an input", async () => {
    const result = await workspace.exec('cat; echo "$GREETING $PWD"; echo err >&2; exit 7', {
      cwd: "/tmp",
      env: { GREETING: "héllo wörld" },
      stdin: "from stdin\n",
    })
    expect(result).toEqual({
      exitCode: 7,
      stdout: "from stdin\nhéllo wörld /tmp\n",
      stderr: "err\n",
      stdoutBytes: new TextEncoder().encode("from stdin\nhéllo wörld /tmp\n"),
      stderrBytes: new TextEncoder().encode("err\n"),
      omitted: { stdout: 0, stderr: 0 },
      durationMs: expect.any(Number),
      ending: { kind: "exited" },
    })
  })

  it("F15: leaves nothing but files to the next", async () => {
    const poison =
      "echo kept > kept; ls() { echo hacked; }; alias cat=false; cd /tmp; shopt -s nullglob; readonly Q=1; export LD_PRELOAD=x IFS=, PATH=/nope; set -eu -o noglob"
    expect((await workspace.exec(poison)).exitCode).toBe(0)
    const { stdout, stderr, exitCode } = await workspace.exec(
      'ls; cat kept; pwd; echo "$PATH [$LD_PRELOAD] [$Q]"; false; echo $UNSET *.none; type ls',
    )
    expect({ stdout, stderr, exitCode }).toEqual({
      stdout: "kept\nkept\n/home/user\n/usr/bin:/bin [] []\n*.none\nls is /usr/bin/ls\n",
      stderr: "",
      exitCode: 0,
    })
  })

  it("F11: sees nothing of this process's environment", async () => {
    process.env.TOOLKEEP_TEST_SECRET = "s3cret"
    const { stdout } = await workspace.exec("env; set; export -p; declare -p")
    expect(stdout).not.toContain("s3cret")
    expect(stdout).not.toContain("TOOLKEEP_TEST_SECRET")
    const names = (await workspace.exec("env | cut -d= -f1 | sort")).stdout.trim().split("\n")
    expect(names).toEqual(
      ["HOME", "HOSTNAME", "LANG", "LOGNAME", "OLDPWD", "PATH", "PWD", "SHELL", "USER"].sort(),
    )
  })

  it("F18: given as a list is run as it is, whatever its words contain", async () => {
    const words = [
      "a b",
      "$HOME",
      "`id`",
      "'",
      '"',
      "\\",
      "",
      "-n",
      "--",
      "new\nline",
      "*",
      "{a,b}",
    ]
    const hostile = [...words, "~", "#", ";exit 9", "&", "|", ">x", "é😀", "\t", "!", "$(exit 9)"]
    const { stdout, exitCode } = await workspace.exec(["printf", "[%s]", ...hostile])
    expect({ stdout, exitCode }).toEqual({
      stdout: hostile.map((word) => `[${word}]`).join(""),
      exitCode: 0,
    })
    for (const name of ["no such", "if", "{", "!", "A=b", "$HOME", "'quoted'", "[[", "-x"]) {
      const missing = await workspace.exec([name, "x"])
      expect([name, missing.exitCode, missing.stderr]).toEqual([
        name,
        127,
        `bash: ${name}: command not found\n`,
      ])
    }
  })

  it("F18: that can't be run at all says why", async () => {
    const noIdle = await failureOf(workspace.exec("true", { idleTimeoutMs: 100 }))
    expect(noIdle).toMatchObject({ kind: "invalid_args", field: "idleTimeoutMs" })
    expect(await failureOf(workspace.exec([]))).toMatchObject({ kind: "invalid_args" })
    expect(await failureOf(workspace.exec("echo a\0b"))).toMatchObject({ kind: "invalid_args" })
    expect(await failureOf(workspace.exec("pwd", { env: { A: "\0" } }))).toMatchObject({
      kind: "invalid_args",
    })
    expect(await failureOf(workspace.exec("pwd", { cwd: "/no/where" }))).toMatchObject({
      kind: "not_found",
      message: '"/no/where" does not exist.',
    })
    await workspace.writeFile("file", "")
    expect(await failureOf(workspace.exec("pwd", { cwd: "file" }))).toMatchObject({
      message: '"/home/user/file" is not a directory.',
    })
  })
})

describe("bytes", () => {
  const bytes = Uint8Array.from({ length: 512 }, (_, at) => at % 256)

  it("F18: printed by a command arrive as they were", async () => {
    const print = async (script: string) =>
      Buffer.from((await workspace.exec(script)).stdoutBytes).toString("hex")
    expect(await print("printf '\\xff\\xfe'")).toBe("fffe")
    expect(await print("printf 'caf\\351 \\303\\251'")).toBe("636166e920c3a9")
    expect(await print("echo é; printf '\\xe9'; echo -e '\\xff\\xc3\\xa9\\0377'")).toBe(
      "c3a90ae9ffc3a9ff0a",
    )
    // Text that looks like text decoded twice stays what it is.
    expect(await print("echo Ã©; bash -c 'echo Ã©' | cat")).toBe("c383c2a90ac383c2a90a")
    await workspace.writeFile("broken", Uint8Array.of(0xc3, 0xa9, 0xff))
    const { stderrBytes } = await workspace.exec("cat broken >&2; echo é >&2; printf '\\xff' >&2")
    expect(Buffer.from(stderrBytes).toString("hex")).toBe("c3a9ffc3a90aff")
  })

  it("F18: pass unchanged through input, pipes, files, variables and nested shells", async () => {
    const script =
      "cat > in; cat in | tee out | gzip | gunzip | base64 | base64 -d; cat < out > again; bash -c 'cat again'"
    const { stdoutBytes } = await workspace.exec(script, { stdin: bytes })
    expect(Buffer.from(stdoutBytes)).toEqual(Buffer.concat([bytes, bytes]))
    expect(await workspace.readFileBuffer("again")).toEqual(bytes)
    const withoutZero = bytes.filter((byte) => byte !== 0)
    const variable = await workspace.exec('x=$(cat); printf %s "$x"', { stdin: withoutZero })
    expect(variable.stdoutBytes).toEqual(withoutZero)
  })

  it("F18: a byte order mark is not lost", async () => {
    await workspace.writeFile("bom", "\ufeffx")
    expect((await workspace.exec("cat bom; sed p bom")).stdoutBytes).toEqual(
      new TextEncoder().encode("\ufeffx\ufeffx\n\ufeffx"),
    )
  })
})

describe("much output", () => {
  const ten = "x".repeat(1023)

  it("F18, Y13: of ten megabytes arrives whole", async () => {
    await workspace.writeFile("big", `${ten}\n`.repeat(10 * 1024))
    const shown: OutputChunk[] = []
    const onOutput = (chunk: OutputChunk) => shown.push(chunk)
    const result = await workspace.exec("cat big", { onOutput })
    expect(result.stdoutBytes.length).toBe(10 * 1024 * 1024)
    expect(result.stdout === `${ten}\n`.repeat(10 * 1024)).toBe(true)
    expect(result.omitted).toEqual({ stdout: 0, stderr: 0 })
    expect(Buffer.concat(shown.map((chunk) => chunk.bytes)).length).toBe(10 * 1024 * 1024)
    expect(new Set(shown.map((chunk) => chunk.stream))).toEqual(new Set(["stdout"]))
  })

  it("Y13: beyond the limit keeps head and tail and counts the rest", async () => {
    const script = "echo start; head -c 1000000 big; echo; echo end"
    const result = await workspace.exec(script, { maxOutputBytes: 1000 })
    expect(result.omitted).toEqual({ stdout: 1_000_000 + 11 - 1000, stderr: 0 })
    expect(result.stdoutBytes.length).toBe(1000)
    expect(result.stdout.startsWith("start\nxxx")).toBe(true)
    expect(result.stdout.endsWith("xxx\nend\n")).toBe(true)
  })

  it("F18: shown to a listener that throws fails the command, not the process", async () => {
    const onOutput = () => {
      throw new Error("listener")
    }
    await expect(workspace.exec("echo a", { onOutput })).rejects.toThrow("listener")
    expect((await workspace.exec("echo b")).stdout).toBe("b\n")
  })
})

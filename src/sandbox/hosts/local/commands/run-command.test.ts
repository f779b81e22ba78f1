import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type LocalFixture, openLocal } from "../../../../../test/support/sandbox/local-fixture.ts"
import type { ExecOptions } from "../../../../contract/index.ts"

let local: LocalFixture
beforeAll(async () => {
  local = await openLocal()
})
afterAll(() => local[Symbol.asyncDispose]())

async function run(command: string | readonly string[], options: ExecOptions = {}) {
  const { exitCode, stdout, stderr, ending } = await local.workspace.exec(command, options)
  return { exitCode, stdout, stderr, ending }
}

const exited = { kind: "exited" } as const

describe("exit codes", () => {
  it("F10.exec, F18.output: keeps stdout, stderr and the exit code apart", async () => {
    expect(await run("echo out; echo err >&2; exit 3")).toEqual({
      exitCode: 3,
      stdout: "out\n",
      stderr: "err\n",
      ending: exited,
    })
  })

  it.each([
    ["TERM", 143],
    ["KILL", 137],
    ["SEGV", 139],
    ["INT", 130],
    ["PIPE", 141],
  ])("F18: death by SIG%s is exit code %i", async (signal, exitCode) => {
    expect(await run(`kill -${signal} $$`)).toEqual({
      exitCode,
      stdout: "",
      stderr: "",
      ending: exited,
    })
  })

  it("F18: a program that does not exist answers 127, as in a shell", async () => {
    expect(await run(["no-such-program", "x"])).toEqual({
      exitCode: 127,
      stdout: "",
      stderr: "no-such-program: command not found\n",
      ending: exited,
    })
    expect((await run("no-such-program")).exitCode).toBe(127)
  })

  it("F18: a file that can't be run answers 126", async () => {
    await writeFile(join(local.directory, "plain.txt"), "text")
    const answer = {
      exitCode: 126,
      stdout: "",
      stderr: "./plain.txt: permission denied: not an executable file\n",
      ending: exited,
    }
    expect(await run(["./plain.txt"])).toEqual(answer)
    expect((await run(["./plain.txt/x"])).exitCode).toBe(127)
  })

  it("F18: arguments that are too long for the system answer 126", async () => {
    expect(await run(["echo", "x".repeat(200_000)])).toEqual({
      exitCode: 126,
      stdout: "",
      stderr: "echo: the arguments and the environment are too long\n",
      ending: exited,
    })
  })

  it("F18: without bash a command text answers 127 and a list still runs", async () => {
    await using bare = await openLocal({ environment: { PATH: "/nowhere", HOME: "/" } })
    const text = await bare.workspace.exec("true")
    expect([text.exitCode, text.stderr]).toEqual([127, "bash: command not found\n"])
    const list = await bare.workspace.exec(["/bin/echo", "hi"])
    expect([list.exitCode, list.stdout]).toEqual([0, "hi\n"])
  })
})

describe("the command", () => {
  it("F10: a list reaches the program as it is, read by no shell", async () => {
    const parts = ["$HOME", "a b", "*", "", "-n", "line\nbreak", "'\"", "é😀"]
    const { stdout } = await run(["printf", "<%s>", ...parts])
    expect(stdout).toBe(parts.map((part) => `<${part}>`).join(""))
  })

  it("F18: a text that begins with a dash is a command, not an option of bash", async () => {
    expect((await run("-x")).stderr).toBe("bash: line 1: -x: command not found\n")
    expect((await run("--version")).exitCode).toBe(127)
  })

  it("F18: a command text may be longer than the system's longest argument", async () => {
    const text = `${"😀é".repeat(70_000)}x`
    const { stdout, exitCode } = await run(
      `cat <<'END' | wc -c\n${text}\nEND\necho "$#$toolkeep_text"`,
    )
    expect([stdout, exitCode]).toEqual([`${Buffer.byteLength(text) + 1}\n0\n`, 0])
    const exact = await run(`printf %s '${text}'`)
    expect(exact.stdout).toBe(text)
  })

  it.each([
    ["NUL in a text", "echo \0"],
    ["NUL in a list", ["echo", "a\0b"]],
    ["an empty list", []],
    ["an empty program name", [""]],
  ])("F18: %s is refused as bad input", async (_what, command) => {
    await expect(run(command)).rejects.toMatchObject({ kind: "invalid_args", field: "command" })
  })

  it("F18: reads no start-up file of bash's", async () => {
    await writeFile(join(local.directory, ".bashrc"), "echo from-bashrc")
    await writeFile(join(local.directory, ".bash_profile"), "echo from-profile")
    const { stdout } = await run("echo only-this", { env: { HOME: local.directory }, stdin: "x" })
    expect(stdout).toBe("only-this\n")
  })
})

describe("the directory", () => {
  it("F11.cwd, F18.paths: starts in the sandbox's directory, or in the one that is given", async () => {
    await mkdir(join(local.directory, "sub dir"), { recursive: true })
    expect((await run("pwd")).stdout).toBe(`${local.directory}\n`)
    expect((await run("pwd", { cwd: "sub dir" })).stdout).toBe(`${local.directory}/sub dir\n`)
  })

  it("F18.errors: a missing directory is not taken for a missing program", async () => {
    const cwd = join(local.directory, "missing")
    await expect(run("true", { cwd: "missing" })).rejects.toMatchObject({
      code: "not-found",
      path: cwd,
      message: `${JSON.stringify(cwd)} does not exist.`,
    })
    await expect(run(["true"], { cwd: "missing" })).rejects.toMatchObject({ code: "not-found" })
  })

  it("F18: a file as the directory is refused", async () => {
    await writeFile(join(local.directory, "file"), "")
    await expect(run("true", { cwd: "file" })).rejects.toMatchObject({ code: "not-directory" })
  })

  it("F18: a loop of links as the directory is refused", async () => {
    await symlink("loop", join(local.directory, "loop"))
    await expect(run("true", { cwd: "loop" })).rejects.toMatchObject({ code: "link-loop" })
  })
})

describe("standard streams", () => {
  it("F18: stdin reaches the command byte for byte, then ends", async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, index) => index)
    const { stdoutBytes } = await local.workspace.exec("cat", { stdin: bytes })
    expect(stdoutBytes).toEqual(bytes)
  })

  it("F18: a command that never reads 10 MB of stdin neither hangs nor fails", async () => {
    const stdin = new Uint8Array(10_000_000)
    expect((await run("true", { stdin })).exitCode).toBe(0)
    expect((await run("head -c 3 | wc -c", { stdin })).stdout).toBe("3\n")
    expect((await run("wc -c", { stdin })).stdout).toBe("10000000\n")
  })

  it("F18: without input stdin is empty, and ripgrep does not look there", async () => {
    expect((await run("cat")).stdout).toBe("")
    await writeFile(join(local.directory, "needle.txt"), "a needle\n")
    const ripgrep = local.workspace.can.ripgrep ?? "rg"
    expect((await run([ripgrep, "-l", "a needle"])).stdout).toBe("needle.txt\n")
  })

  it("F18: the streams can be opened by name, as scripts do", async () => {
    const script =
      "cat /dev/stdin; echo a > /dev/stderr; echo b > /dev/stdout; echo c | tee /dev/stderr"
    expect(await run(script, { stdin: "in\n" })).toEqual({
      exitCode: 0,
      stdout: "in\nb\nc\n",
      stderr: "a\nc\n",
      ending: exited,
    })
  })

  it("F18.bytes: bytes that are no UTF-8 arrive as they are", async () => {
    const { stdoutBytes, stderrBytes } = await local.workspace.exec(
      "printf '\\377\\0\\200'; printf '\\xc3' >&2",
    )
    expect([...stdoutBytes, ...stderrBytes]).toEqual([255, 0, 128, 0xc3])
  })

  it("F18: no terminal is there to ask on", async () => {
    expect((await run("read -r answer < /dev/tty")).exitCode).toBe(1)
  })
})

it("R12: a hundred commands at once each get their own answer", async () => {
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) => run(`echo ${index}; exit $((${index} % 7))`)),
  )
  expect(answers).toEqual(
    Array.from({ length: 100 }, (_, index) => ({
      exitCode: index % 7,
      stdout: `${index}\n`,
      stderr: "",
      ending: exited,
    })),
  )
})

import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { catalogue } from "../../src/tools/index.ts"
import { commandLine } from "../support/built-package.ts"
import { runCli } from "./run-cli.ts"

const execute = promisify(execFile)

/** Runs the command line on a real pseudo-terminal, made by util-linux's `script`. */
async function onTerminal(...args: string[]): Promise<string> {
  const words = [process.execPath, commandLine, ...args]
  const line = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")
  // Where there is no person, as in CI, programs are told not to colour; here there is one.
  const plain = { CI: undefined, NO_COLOR: undefined, FORCE_COLOR: undefined }
  const env = { ...process.env, TERM: "xterm-256color", ...plain }
  const { stdout } = await execute("script", ["-qc", line, "/dev/null"], { env })
  return stdout.replaceAll("\r\n", "\n")
}

it("O3: on a terminal a person reads text and colour, not JSON", async () => {
  const seen = await onTerminal("call", "shell.exec", '{"command":"echo hello"}')
  expect(seen).toContain("hello\n")
  expect(seen).toMatch(/\u001b\[32mexit 0, \d+\.\d\d s\u001b\[39m/)
  expect(seen).not.toContain('"ok"')
  const asked = await onTerminal("call", "system.info", "{}", "--json")
  expect(JSON.parse(asked)).toMatchObject({ ok: true, tool: "system.info" })
})

it("O8: on a terminal a failure is a sentence and what was expected", async () => {
  const seen = await onTerminal("call", "file.read", "{}")
  expect(seen).toContain('\u001b[31minvalid_args\u001b[39m: Missing required argument "path"')
  expect(seen).toContain("expected: ")
})

it("a sandboxed command can't steer the terminal of the person who watches", async () => {
  const command = "printf '\\033]0;owned\\007\\033[2J'"
  const seen = await onTerminal(
    "call",
    "shell.exec",
    JSON.stringify({ command }),
    "--host",
    "local",
  )
  expect(seen).not.toContain("\u001b]0;owned")
  expect(seen).not.toContain("\u001b[2J")
})

it("a command that takes long shows that it is running", async () => {
  const seen = await onTerminal("call", "shell.exec", '{"command":"sleep 1.5"}')
  expect(seen).toMatch(/running, \d\.\d s/)
})

it("tools are listed for people on a terminal and as JSON on a pipe, the same ones", async () => {
  const people = await onTerminal("tools")
  const listed: { name: string }[] = JSON.parse((await runCli(["tools"])).stdout)
  // No search service is configured here, so that tool is not shown.
  const canonical = catalogue().map(({ name }) => name)
  // Without a service for searches, and without a record.
  const isThere = (name: string) => name !== "web.search" && !name.startsWith("sessions.")
  const kept = canonical.filter(isThere)
  expect(listed.map(({ name }) => name)).toEqual(kept)
  for (const { name } of listed) expect(people).toContain(name)
})

it("tools says what a model sees at first, and --defer lists that", async () => {
  const listed = async (...args: string[]): Promise<{ name: string }[]> =>
    JSON.parse((await runCli(["tools", ...args])).stdout)
  const [people, all, auto, off] = await Promise.all([
    onTerminal("tools"),
    listed(),
    listed("--defer", "auto"),
    listed("--defer", "off"),
  ])
  expect(people).toContain(
    `${all.length} tools on the bubblewrap host; a model sees 22 at first and finds the others with tools.search`,
  )
  expect(auto).toHaveLength(22)
  expect(off).toEqual(all.filter(({ name }) => name !== "tools.search"))
  expect(await runCli(["tools", "--defer", "maybe"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--defer must be one of on, off, auto; not "maybe".'),
  })
})

it("F1: the schemas shown are those this host can keep", async () => {
  const shown = async (host: string) => {
    const { stdout } = await runCli(["tools", "shell.exec", "--format", "openai", "--host", host])
    return Object.keys(JSON.parse(stdout)[0].function.parameters.properties)
  }
  expect(await shown("local")).toContain("idle_timeout_ms")
  expect(await shown("memory")).not.toContain("idle_timeout_ms")
})

it("Y8, Y10: policy explain shows every stage and which rule decided", async () => {
  const { stdout } = await runCli(["policy", "explain", "shell.exec", "--profile", "coding"])
  const explanation = JSON.parse(stdout)
  expect(explanation).toMatchObject({ tool: "shell.exec", verdict: { kind: "deny" } })
  expect(explanation.steps.filter((step: { decided: boolean }) => step.decided)).toHaveLength(1)
  const people = await onTerminal("policy", "explain", "file.read", "--profile", "coding")
  expect(people).toContain("file.read: \u001b[32mallow\u001b[39m")
})

it("doctor says which hosts work and what each can promise", async () => {
  const report = JSON.parse((await runCli(["doctor"])).stdout)
  expect(report.auto.host).toBe("bubblewrap")
  expect(report.hosts.map(({ host }: { host: string }) => host)).toEqual([
    "bubblewrap",
    "docker",
    "kubernetes",
    "opensandbox",
    "memory",
    "local",
  ])
  for (const { host, status, can } of report.hosts) {
    // No engine listens where Docker's usually does, and there is no cluster and no server; why not is said, and what to do.
    if (status.kind === "ready") expect(can.limits).toBeDefined()
    else {
      const expected = {
        host: expect.stringMatching(/^(docker|kubernetes|opensandbox)$/),
        remedy: expect.any(String),
      }
      expect({ host, ...status }).toMatchObject(expected)
    }
  }
  expect(report.unavailable).toEqual([
    { tool: "web.search", message: expect.stringContaining("toolkeep.yaml") },
  ])
  const people = await onTerminal("doctor")
  expect(people).toContain("no isolation")
  expect(people).toContain("web.search needs a provider")
})

it("a reader that has seen enough ends the command quietly", async () => {
  const line = `"${process.execPath}" "${commandLine}" tools --json | head -n 1`
  const { stdout, stderr } = await execute("bash", ["-o", "pipefail", "-c", line])
  expect({ stdout, stderr }).toEqual({ stdout: "[\n", stderr: "" })
})

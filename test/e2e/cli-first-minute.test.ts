import { execFileSync, spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { commands } from "../../src/cli/commands/commands.ts"
import { parsePolicyYaml } from "../../src/policy/index.ts"
import { commandLine } from "../support/built-package.ts"
import { runCli } from "./run-cli.ts"

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), "toolkeep-minute-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

describe("toolkeep init", () => {
  it("Y9: writes a configuration that is valid as it is and with every example in it", async () => {
    const cwd = directory()
    expect(await runCli(["init"], { cwd })).toMatchObject({ exitCode: 0, stderr: "" })
    const text = readFileSync(join(cwd, "toolkeep.yaml"), "utf8")
    expect(await parsePolicyYaml(text, "toolkeep.yaml")).toMatchObject({
      tools: { policy: "full" },
    })
    const examples = text.replaceAll(/^( *)# (?![A-Z])/gm, "$1")
    expect(await parsePolicyYaml(examples, "toolkeep.yaml")).toMatchObject({
      tools: { rules: [{ deny: "shell.exec" }], hooks: { confirm: expect.any(Array) } },
      mcpServers: { memory: { command: "npx" } },
      network: { reach: "allow-list" },
      models: { vision: { key_from: "EXAMPLE_API_KEY" } },
    })
    expect((await runCli(["tools", "--host", "memory"], { cwd })).exitCode).toBe(0)
  })

  it("Y9: does not overwrite a file", async () => {
    const cwd = directory()
    writeFileSync(join(cwd, "toolkeep.yaml"), "tools: { policy: minimal }\n")
    expect(await runCli(["init"], { cwd })).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: "toolkeep: toolkeep.yaml exists already and was not changed.\n",
    })
    expect(readFileSync(join(cwd, "toolkeep.yaml"), "utf8")).toBe("tools: { policy: minimal }\n")
  })
})

describe("toolkeep completion", () => {
  const scriptOf = async (shell: string) => (await runCli(["completion", shell])).stdout

  it("completes commands and flags in bash", async () => {
    const script = await scriptOf("bash")
    const complete = (...words: string[]) =>
      execFileSync("bash", [
        "-c",
        `${script}
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _toolkeep; echo "\${COMPREPLY[*]}"`,
        "bash",
        ...words,
      ])
        .toString()
        .trim()
    expect(complete("toolkeep", "c")).toBe("call conform clean completion")
    expect(complete("toolkeep", "up", "--l")).toBe("--listen")
    expect(complete("toolkeep", "call", "--net")).toBe("--network")
    expect(complete("toolkeep", "call", "x")).toBe("")
  })

  it.each(["bash", "zsh", "fish"])("knows every command and every flag in %s", async (shell) => {
    const script = await scriptOf(shell)
    for (const { name, flags } of commands) {
      expect(script).toContain(name)
      for (const flag of flags)
        expect(script).toContain(shell === "fish" ? `-l ${flag.name}` : `--${flag.name}`)
    }
  })

  it("names the shells that it knows", async () => {
    const { exitCode, stderr } = await runCli(["completion", "tcsh"])
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringContaining("bash") })
  })
})

describe("toolkeep call on a terminal", () => {
  /** Types an answer at a pseudo-terminal, made by util-linux's `script`, when the question has been asked. */
  async function answerWith(typed: string): Promise<string> {
    const cwd = directory()
    writeFileSync(join(cwd, "toolkeep.yaml"), 'tools: { hooks: { confirm: ["file.write"] } }\n')
    const input = '{"path": "a.txt", "content": "hello"}'
    const words = [
      process.execPath,
      commandLine,
      "call",
      "file.write",
      input,
      "--host",
      "memory",
      "--json",
    ]
    const line = words.map((word) => `'${word}'`).join(" ")
    const env = { ...process.env, TOOLKEEP_HOME: join(cwd, "home") }
    const child = spawn("script", ["-qec", line, "/dev/null"], { cwd, env })
    let seen = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      const asked = !seen.includes("[y/N]")
      seen += text
      if (asked && seen.includes("[y/N]")) child.stdin.write(typed)
    })
    await new Promise((resolve) => child.on("close", resolve))
    return seen
  }

  it("X7.terminal: asks the person who gave the command, and does what they say", async () => {
    const yes = await answerWith("y\n")
    expect(yes).toContain('|   "path": "a.txt"')
    expect(yes).toContain('"ok": true')
    const no = await answerWith("\n")
    expect(no).toContain('"kind": "user_denied"')
  })

  it("X7: refuses where nobody sits at a terminal", async () => {
    const cwd = directory()
    writeFileSync(join(cwd, "toolkeep.yaml"), 'tools: { hooks: { confirm: ["file.write"] } }\n')
    const { exitCode, stdout } = await runCli(
      ["call", "file.write", '{"path": "a", "content": "b"}', "--host", "memory"],
      { cwd },
    )
    expect({ exitCode, envelope: JSON.parse(stdout) }).toMatchObject({
      exitCode: 1,
      envelope: { ok: false, kind: "rejected" },
    })
  })
})

it("C18: toolkeep call --network gives the commands of one call a network", async () => {
  const call = (...flags: string[]) => runCli(["call", "system.info", "{}", ...flags])
  expect((await call("--host", "memory", "--network", "none")).exitCode).toBe(0)
  const refused = await call("--host", "memory", "--network", "full")
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("networks: none") })
})

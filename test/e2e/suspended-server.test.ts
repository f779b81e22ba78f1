import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { shellLine, startLine } from "./start-on-terminal.ts"

it("X7: Ctrl-Z suspends a server on a terminal, fg goes on with it and its keys, Ctrl-C stops it", async () => {
  const home = mkdtempSync(join(tmpdir(), "toolkeep-suspended-"))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const shell = startLine("exec bash --norc --noprofile -i", { home, cwd: home })
  shell.type(`${shellLine(["up", "--host", "memory", "--port", "0"])}\n`)
  await shell.sees("Ctrl-C stops the server.")
  shell.type("\u001a")
  await shell.sees("Stopped")
  await shell.sees("'--port' '0'")
  // The shell has the terminal in its own mode, in which what is typed is shown.
  shell.type("echo in the sh''ell\n")
  await shell.sees("in the shell")
  // It hears its keys again.
  for (const key of ["\u001a", "\u001a"]) {
    shell.type("fg\n")
    await shell.sees("'--port' '0'")
    shell.type(key)
    await shell.sees("Stopped")
    await shell.sees("'--port' '0'")
  }
  shell.type("fg\n")
  await shell.sees("'--port' '0'")
  shell.type("\u0003")
  await shell.sees("toolkeep: stopping")
  shell.type("exit 3\n")
  expect((await shell.done).exitCode).toBe(3)
})

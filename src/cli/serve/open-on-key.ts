import { spawn } from "node:child_process"
import type { Terminal } from "../output/terminal.ts"

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  linux: ["xdg-open"],
  win32: ["explorer"],
}

/** Opens a fresh link in the browser whenever a person presses `o`. The returned function ends that. */
export function openOnKey(terminal: Terminal, link: () => string): () => void {
  const { stdin } = process
  if (stdin.isTTY !== true || !terminal.forPeople) return () => {}
  const hear = (key: Buffer) => {
    const pressed = key.toString("latin1")
    // Without its line mode, the terminal leaves these to the program.
    if (pressed === "\u0003") process.kill(process.pid, "SIGINT")
    else if (pressed === "\u0004") process.kill(process.pid, "SIGTERM")
    else if (pressed === "o") open(terminal, link())
  }
  stdin.setRawMode(true).on("data", hear).resume()
  stdin.unref()
  return () => {
    stdin.off("data", hear).setRawMode(false).pause()
  }
}

function open(terminal: Terminal, address: string): void {
  const [program = "xdg-open", ...args] = openers[process.platform] ?? []
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true })
  child.on("error", () => terminal.note(`toolkeep: no browser was found. Open ${address}\n`))
  child.unref()
}

import { spawn } from "node:child_process"
import type { Terminal } from "../output/terminal.ts"

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ["open"],
  linux: ["xdg-open"],
  win32: ["explorer"],
}

/** Opens an address in the browser of the person at the terminal. */
export function openLink(terminal: Terminal, address: string): void {
  const [program = "xdg-open", ...args] = openers[process.platform] ?? []
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true })
  child.on("error", () => terminal.note(`toolkeep: no browser was found. Open ${address}\n`))
  child.unref()
}

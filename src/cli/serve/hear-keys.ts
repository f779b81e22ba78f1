import type { Terminal } from "../output/terminal.ts"

/** Whether somebody sits at a terminal whose keys can be heard. */
export function canHearKeys({ forPeople }: Pick<Terminal, "forPeople">): boolean {
  return process.stdin.isTTY === true && forPeople
}

/** Hears the keys of the terminal one by one, where there is one. The returned function ends that. */
export function hearKeys(terminal: Terminal, onKey: (key: string) => void): () => void {
  const { stdin } = process
  if (!canHearKeys(terminal)) return () => {}
  const hear = (key: Buffer) => {
    const pressed = key.toString("latin1")
    // Without its line mode, the terminal leaves these to the program.
    if (pressed === "\u0003") process.kill(process.pid, "SIGINT")
    else if (pressed === "\u0004") process.kill(process.pid, "SIGTERM")
    else if (pressed === "\u001a") suspend()
    else onKey(pressed)
  }
  // The shell that gets the terminal meanwhile leaves it in its own mode.
  const goOn = () => void stdin.setRawMode(true)
  const suspend = () => {
    stdin.setRawMode(false)
    // As the terminal would: with what has started this process.
    process.kill(0, "SIGTSTP")
  }
  stdin.setRawMode(true).on("data", hear).resume()
  stdin.unref()
  process.on("SIGCONT", goOn)
  return () => {
    process.off("SIGCONT", goOn)
    stdin.off("data", hear).setRawMode(false).pause()
  }
}

import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { expect } from "vitest"
import { repositoryRoot } from "../../scripts/repository.ts"

/** `toolkeep dev` as a person starts it. */
export function startDev(home: string, ...args: readonly string[]) {
  const program = join(repositoryRoot, "src/cli/main.ts")
  const env = { ...process.env, TOOLKEEP_HOME: home }
  const child = spawn(process.execPath, [program, "dev", ...args], {
    ...{ env, cwd: home, stdio: ["ignore", "pipe", "pipe"] },
  })
  let text = ""
  const hear = (said: string) => {
    text += said
  }
  child.stdout?.setEncoding("utf8").on("data", hear)
  child.stderr?.setEncoding("utf8").on("data", hear)
  const ended = once(child, "close").then(([code]: (number | null)[]) => code ?? null)
  return {
    printed: () => text,
    /** Resolves when it has printed this. */
    async until(part: string | RegExp) {
      await expect.poll(() => text).toMatch(part)
      return text
    },
    ended,
    stop() {
      child.kill("SIGTERM")
      return ended
    },
  }
}

import { ToolFailure } from "../../../src/contract/index.ts"
import type { Host, Sandbox } from "../../../src/sandbox/index.ts"
import { alterRuns } from "./alter-commands.ts"
import { type BrokenHost, plain, replaceSandboxes, runScript } from "./broken-host.ts"

const base = "bubblewrap"

/** Hosts whose sandboxes sleep badly. */
export const flawedSleep: readonly BrokenHost[] = [
  flawed("forgets its files over sleep", ["files", "wakes", "twice", "wakes-once"], (good) => ({
    async sleep() {
      await good.sleep()
      const control = { signal: new AbortController().signal, onOutput: () => {} }
      await runScript(good, control, ['find "$1" -mindepth 1 -delete', good.home])
    },
  })),
  flawed("goes on when it is to sleep", ["processes", "answers"], () => ({
    sleep: async () => {},
  })),
  flawed("never wakes", ["wakes"], (good) => {
    let isAsleep = false
    return {
      async sleep() {
        isAsleep = true
        await good.sleep()
      },
      perform(operation, control) {
        if (isAsleep) throw asleep()
        return good.perform(operation, control)
      },
    }
  }),
  flawed("can be put to sleep only once", ["twice"], (good) => {
    let isAsleep = false
    return {
      async sleep() {
        if (isAsleep) throw asleep()
        isAsleep = true
        await good.sleep()
      },
    }
  }),
  flawed("wakes for the first that asks", ["wakes-once"], (good) => {
    let waking: "awake" | "asleep" | "waking" = "awake"
    return {
      async sleep() {
        waking = "asleep"
        await good.sleep()
      },
      async perform(operation, control) {
        if (waking === "waking") throw asleep()
        if (waking === "asleep") waking = "waking"
        const result = await good.perform(operation, control)
        waking = "awake"
        return result
      },
    }
  }),
  { flaw: "wakes with other variables", caughtBy: ["sleep.fresh"], base, breakHost: wakesOther },
  flawed("is not destroyed in its sleep", ["destroy"], (good) => {
    let isAsleep = false
    return {
      async sleep() {
        isAsleep = true
        await good.sleep()
      },
      async destroy() {
        if (!isAsleep) await good.destroy()
        isAsleep = false
      },
    }
  }),
]

function flawed(
  flaw: string,
  caughtBy: readonly string[],
  alter: (good: Sandbox) => Partial<Sandbox>,
): BrokenHost {
  return {
    flaw,
    caughtBy: caughtBy.map((name) => `sleep.${name}`),
    base,
    breakHost: (host) => replaceSandboxes(host, (good) => ({ ...plain(good), ...alter(good) })),
  }
}

function asleep(): ToolFailure {
  return new ToolFailure({ kind: "unavailable", message: "The sandbox sleeps." })
}

function wakesOther(host: Host): Host {
  let env: Readonly<Record<string, string>> = {}
  const altered = alterRuns(host, (run) => ({ env: { ...env, ...run.env } }))
  return replaceSandboxes(altered, (good) => ({
    ...plain(good),
    async sleep() {
      env = { LEFT: "over" }
      await good.sleep()
    },
  }))
}

import { ToolFailure } from "../../../contract/index.ts"
import type { CommandRun } from "../../host/operation.ts"
import { networkLimits } from "../../limits.ts"
import { relayOptions, relayScript } from "../../network/relay.ts"
import { injectedNode } from "../../programs/injected-node.ts"
import { type AgentScope, runCommand } from "../commands/run-command.ts"

/** Where the proxy's socket is, as the sandbox sees it. */
const socketInside = "/run/toolkeep/proxy"

/** Leads to the proxy for as long as it is not stopped; a command that ends it ends it for a moment. */
export interface Relay {
  /** Rejects when it can't be started. */
  readonly ready: Promise<void>
  /** Its port is free again afterwards. */
  stop(): Promise<void>
}

export function startRelay(scope: AgentScope): Relay {
  const stopped = new AbortController()
  const ready = Promise.withResolvers<void>()
  ready.promise.catch(() => {})
  const cancel = scope.clock.after(networkLimits.readyMs, () => {
    ready.reject(cannotStart("it took too long"))
  })
  let complaint = ""
  const runOnce = () =>
    runCommand(
      relayRun,
      {
        signal: stopped.signal,
        graceMs: () => 0,
        onOutput: ({ stream, bytes }) => {
          if (stream === "stdout") return ready.resolve()
          complaint = (complaint + Buffer.from(bytes).toString()).slice(0, complaintCharacters)
        },
      },
      // Going to sleep asks commands to end; this one ends with the agent.
      { ...scope, closing: never },
    ).catch(() => {})

  async function keepRunning(): Promise<void> {
    await runOnce()
    // Only what has run once is worth another try.
    ready.reject(cannotStart(complaint.trim() || "it ended"))
    const works = await ready.promise.then(
      () => true,
      () => false,
    )
    while (works && !stopped.signal.aborted) {
      await pause(stopped.signal, scope)
      if (!stopped.signal.aborted) await runOnce()
    }
  }
  const over = keepRunning().finally(cancel)
  const stop = () => {
    stopped.abort()
    return over
  }
  return { ready: ready.promise.finally(cancel), stop }
}

function pause(signal: AbortSignal, { clock }: AgentScope): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      cancel()
      resolve()
    }
    const cancel = clock.after(networkLimits.restartMs, () => {
      signal.removeEventListener("abort", stop)
      resolve()
    })
    signal.addEventListener("abort", stop)
  })
}

const complaintCharacters = 300
const never = new AbortController().signal

const relayCommand = [
  ...[injectedNode, ...relayOptions, "-e", relayScript],
  ...[String(networkLimits.port), socketInside],
]

const relayRun: CommandRun = {
  kind: "command.run",
  command: relayCommand,
  cwd: "/",
  env: {},
  stdin: new Uint8Array(),
  timeoutMs: null,
  idleTimeoutMs: null,
  maxOutputBytes: 1024,
}

function cannotStart(reason: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `The way to the sandbox's network could not be opened: ${reason}.`,
  })
}

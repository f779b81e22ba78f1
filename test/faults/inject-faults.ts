import type { ChildProcess } from "node:child_process"
import { subscribe } from "node:diagnostics_channel"
import { EventEmitter } from "node:events"
import type { IncomingMessage } from "node:http"

/*
 * Loaded into a server with `node --import`: whoever asks for it gets an error from where nothing can catch it,
 * in the middle of the work that Node tells of on these channels.
 */

const message = "injected \u001b[2J\nfault"

const faults: Readonly<Record<string, () => void>> = {
  timer() {
    throw new Error(message)
  },
  emitter() {
    new EventEmitter().emit("error", new Error(message))
  },
  rejection() {
    void Promise.reject(new Error(message))
  },
  nothing() {
    throw undefined
  },
}

function injectFor(wanted: string | undefined): void {
  const fault = faults[wanted ?? ""]
  if (fault) setTimeout(fault, 50)
}

subscribe("child_process", (told) => {
  const { process } = told as { readonly process: ChildProcess }
  setImmediate(() => {
    const command = (process.spawnargs ?? []).join(" ")
    injectFor(/FAULT=(\w+)/.exec(command)?.[1])
  })
})

subscribe("http.server.request.start", (told) => {
  const { request } = told as { readonly request: IncomingMessage }
  injectFor(request.headers["x-fault"]?.toString())
  if (request.headers["x-fault"] === "data") request.once("data", faults.timer ?? (() => {}))
})

// For no work at all.
process.on("SIGUSR2", () => injectFor("timer"))

import type { Connection } from "../../../src/contract/index.ts"
import type { Host, OperationControl, Sandbox } from "../../../src/sandbox/index.ts"
import { asBytes, asText } from "./alter-commands.ts"
import { alterSandboxes, type BrokenHost, type Handlers } from "./broken-host.ts"

/** Hosts that reach servers inside wrongly. */
export const flawedPorts: readonly BrokenHost[] = [
  flawed("reaches the port beside the one that is meant", ["ports.reached"], () => ({
    "port.connect": ({ kind, port }, control, good) =>
      good.perform<"port.connect">({ kind, port: port + 1 }, control),
  })),
  altered("takes what passes for text", ["ports.megabyte"], (connection) => ({
    readable: connection.readable.pipeThrough(mapped((bytes) => asBytes(asText(bytes)))),
  })),
  altered("ends lines in its own way", ["ports.both-ways"], (connection) => ({
    readable: connection.readable.pipeThrough(
      mapped((bytes) => asBytes(asText(bytes).replaceAll("\r\n", "\n\n"))),
    ),
  })),
  flawed("has one connection for everybody", ["ports.two-at-once"], () => {
    let shared: Promise<Connection> | undefined
    return {
      async "port.connect"(operation, control, good) {
        shared ??= good.perform<"port.connect">(operation, control)
        return { ...(await shared) }
      },
    }
  }),
  {
    ...altered("never says that a connection is over", ["ports.server-ends"], ({ readable }) => ({
      readable: readable.pipeThrough(new TransformStream({ flush: () => new Promise(() => {}) })),
    })),
    hangs: true,
  },
  {
    ...altered("leaves a closed connection open inside", ["ports.closed"], () => ({
      close: () => {},
    })),
    hangs: true,
  },
  flawed("connects to nobody", ["ports.refused"], () => ({ "port.connect": connectToNobody })),
]

function flawed(
  flaw: string,
  caughtBy: readonly string[],
  handlersFor: (good: Sandbox) => Handlers,
): BrokenHost {
  const breakHost = (good: Host) => alterSandboxes(good, handlersFor)
  return { flaw, caughtBy, base: "bubblewrap", breakHost }
}

function altered(
  flaw: string,
  caughtBy: readonly string[],
  alter: (connection: Connection) => Partial<Connection>,
): BrokenHost {
  return flawed(flaw, caughtBy, () => ({
    async "port.connect"(operation, control, good) {
      const connection = await good.perform<"port.connect">(operation, control)
      return { ...connection, ...alter(connection) }
    },
  }))
}

function mapped(
  change: (bytes: Uint8Array) => Uint8Array,
): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform: (chunk, controller) => controller.enqueue(change(chunk)),
  })
}

async function connectToNobody(
  operation: { readonly kind: "port.connect"; readonly port: number },
  control: OperationControl,
  good: Sandbox,
): Promise<Connection> {
  return good.perform<"port.connect">(operation, control).catch(() => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    return { readable, writable, close: () => {} }
  })
}

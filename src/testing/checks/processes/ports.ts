import type { Connection } from "../../../contract/index.ts"
import { conformanceLimits } from "../../limits.ts"
import { defineChecks, type Measure, type Subject } from "../../measure/conformance-check.ts"
import { requireBytes, requireEqual, requireFailure, requireThat } from "../../measure/require.ts"
import { whenExists } from "../../measure/running-work.ts"
import { sampleBytes } from "../../measure/sample-files.ts"
import { startServer } from "../../measure/start-server.ts"
import { startStopwatch } from "../../measure/stopwatch.ts"

const mebibyte = 1024 * 1024
const encoder = new TextEncoder()

/** One end of a conversation, as a check wants to hold it. */
function converse({ readable, writable, close }: Connection) {
  const reader = readable.getReader()
  const writer = writable.getWriter()
  let rest: Uint8Array = new Uint8Array()
  /** Exactly this many bytes. */
  async function receive(count: number): Promise<Uint8Array> {
    const chunks = [rest]
    let length = rest.length
    while (length < count) {
      const { done, value } = await reader.read()
      requireThat(!done, `the connection ended after ${length} of ${count} bytes`)
      chunks.push(value)
      length += value.length
    }
    const all = Buffer.concat(chunks)
    rest = all.subarray(count)
    return all.subarray(0, count)
  }
  return {
    send: (data: string | Uint8Array) =>
      writer.write(typeof data === "string" ? encoder.encode(data) : data),
    receive,
    /** So many bytes as text. */
    hear: async (count: number) => new TextDecoder().decode(await receive(count)),
    /** Whether nothing more comes. */
    ended: () =>
      reader.read().then(
        ({ done }) => done,
        () => true,
      ),
    close,
  }
}

const greeting = "ready\n"

async function greeted(subject: Subject, port: number) {
  const line = converse(await subject.workspace.connect(port, { signal: subject.signal }))
  requireEqual("the greeting", await line.hear(greeting.length), greeting)
  return line
}

async function requireRefused({ workspace }: Subject, port: number): Promise<string> {
  await requireFailure(`connecting to port ${port}`, workspace.connect(port), "unavailable")
  return `port ${port} was refused as unavailable`
}

/** A check with a server inside; where no program can be one, only that nobody answers is measured. */
function served(measure: (subject: Subject, port: number) => Promise<string>): Measure {
  return async (subject) => {
    const server = await startServer(subject)
    if (server.kind === "listening") {
      return `${await measure(subject, server.port)}; a server in ${server.program}`
    }
    const refused = await requireRefused(subject, 9)
    return `no program inside can listen (looked for ${server.looked}); ${refused}`
  }
}

/** Servers inside, reached from outside. */
const portsPromises = {
  reached: "a server inside is reached by its port",
  "both-ways": "a connection carries bytes in both directions",
  megabyte: "a connection carries a megabyte each way unchanged",
  "two-at-once": "two connections at once do not disturb each other",
  "server-ends": "when the server ends a connection, so does its readable side",
  closed: "closing a connection ends it inside",
  refused: "a port that nobody listens on is refused as unavailable",
}

export const ports = defineChecks("ports", portsPromises, {
  reached: served(async (subject, port) => {
    const elapsed = startStopwatch()
    const line = await greeted(subject, port)
    line.close()
    return `it greeted after ${elapsed()} ms`
  }),
  "both-ways": served(async (subject, port) => {
    const line = await greeted(subject, port)
    for (const text of ["one", "twó\r\n", "\0\u0001", " "]) {
      await line.send(text)
      const bytes = encoder.encode(text)
      requireBytes("what came back", await line.receive(bytes.length), bytes)
    }
    line.close()
    return "four messages, each sent back before the next"
  }),
  megabyte: served(async (subject, port) => {
    const line = await greeted(subject, port)
    const bytes = sampleBytes(mebibyte, 13)
    const send = async () => {
      for (let offset = 0; offset < bytes.length; offset += 50_000) {
        await line.send(bytes.slice(offset, offset + 50_000))
      }
    }
    const elapsed = startStopwatch()
    const [, received] = await Promise.all([send(), line.receive(bytes.length)])
    requireBytes("what came back", received, bytes)
    line.close()
    return `1 MiB there and back in ${elapsed()} ms`
  }),
  "two-at-once": served(async (subject, port) => {
    const [first, second] = await Promise.all([greeted(subject, port), greeted(subject, port)])
    await first.send("first")
    await second.send("other")
    requireEqual("the second's answer", await second.hear(5), "other")
    requireEqual("the first's answer", await first.hear(5), "first")
    second.close()
    await first.send("still")
    requireEqual("the first's answer", await first.hear(5), "still")
    first.close()
    return "one went on when the other was closed"
  }),
  "server-ends": served(async (subject, port) => {
    const line = await greeted(subject, port)
    await line.send("quit\n")
    requireThat(await line.ended(), "there was more to read")
    return "it ended after the server hung up"
  }),
  closed: served(async (subject, port) => {
    const line = await greeted(subject, port)
    await line.send("hello")
    requireEqual("the answer", await line.hear(5), "hello")
    const elapsed = startStopwatch()
    line.close()
    await whenExists(subject, "closed")
    const elapsedMs = elapsed()
    requireThat(
      elapsedMs < conformanceLimits.lateMs,
      `the server noticed after ${elapsedMs} ms instead of at once`,
    )
    requireThat(await line.ended(), "there was more to read")
    return `the server noticed after ${elapsedMs} ms`
  }),
  refused: (subject) => requireRefused(subject, 9),
})

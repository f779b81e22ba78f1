import { AsyncLocalStorage } from "node:async_hooks"
import { randomUUID } from "node:crypto"
import type { EventStore, JSONRPCMessage, RequestId } from "@modelcontextprotocol/server"
import { eventId, listening, readEventId } from "./event-ids.ts"

/** The requests of one body, which are answered on one stream. */
interface AnswerStream {
  /** Whether the request came alone, and not in an array. */
  readonly isAlone: boolean
  /** The requests that have no answer yet. */
  readonly waiting: Set<RequestId>
  /** What the client was asked and has not answered yet. */
  readonly asked: Map<RequestId, JSONRPCMessage>
  /** What the SDK calls it; null before anything was sent. */
  name: string | null
  /** Resolves when the client that comes back is connected to it. */
  resumed: Promise<void> | null
}

/**
 * The streams of answers that have not ended, and the SDK's way to take one up again. Nothing that was sent is
 * stored: answers are in the record, and a question is asked again.
 */
export function answerStreams() {
  const open = new Map<RequestId, AnswerStream>()
  const named = new Map<string, AnswerStream>()
  const current = new AsyncLocalStorage<AnswerStream>()

  const streamOf = (last: string) =>
    readEventId(last)
      ?.map((id) => open.get(id))
      .find((one) => one !== undefined)

  const events: EventStore = {
    async storeEvent(name, message) {
      if (name === standalone) return listening
      const stream = named.get(name) ?? current.getStore()
      if (!stream) return eventId([])
      stream.name = name
      named.set(name, stream)
      await stream.resumed
      const isQuestion = "method" in message && "id" in message && message.method !== "ping"
      if (isQuestion) stream.asked.set(message.id, message)
      if (stream.waiting.size === 0) named.delete(name)
      return eventId(stream.waiting)
    },
    // The SDK asks whether somebody is connected to it. One that has ended has a name of its own.
    getStreamIdForEventId: async (last) =>
      last === listening ? standalone : (streamOf(last)?.name ?? randomUUID()),
    async replayEventsAfter(last, { send }) {
      if (last === listening) {
        await send(listening, { jsonrpc: "2.0", method: "notifications/tools/list_changed" })
        return standalone
      }
      const stream = streamOf(last)
      if (!stream) return randomUUID()
      // The SDK connects the client right after this; an answer that comes before that would be lost.
      const connected = Promise.withResolvers<void>()
      stream.resumed = connected.promise
      setImmediate(connected.resolve)
      for (const question of stream.asked.values()) await send(eventId(stream.waiting), question)
      return stream.name ?? randomUUID()
    },
  }

  return {
    events,
    has: (id: RequestId) => open.has(id),
    isAlone: (id: RequestId) => open.get(id)?.isAlone ?? false,
    /** Does the work on requests, whose answers go to one stream. */
    run<Result>(ids: readonly RequestId[], isAlone: boolean, work: () => Result): Result {
      const stream: AnswerStream = {
        ...{ isAlone, waiting: new Set(ids), asked: new Map(), name: null, resumed: null },
      }
      for (const id of ids) open.set(id, stream)
      return current.run(stream, work)
    },
    /** A request was answered or refused. */
    ended(id: RequestId): void {
      open.get(id)?.waiting.delete(id)
      open.delete(id)
    },
    /** The client has answered a question. */
    answered(id: RequestId): void {
      for (const stream of named.values()) stream.asked.delete(id)
    },
  }
}

/** What the SDK calls the stream of a client that listens. */
const standalone = "_GET_stream"

import type { RequestId } from "@modelcontextprotocol/server"

/**
 * The id of an event on the stream of answers: the requests that had no answer yet. It says all that is needed to
 * send a client that comes back what it missed, also after a restart.
 */
export function eventId(waiting: Iterable<RequestId>): string {
  return Buffer.from(JSON.stringify([...waiting])).toString("base64url")
}

/** The requests in the id of an event; null for an id that was never sent. */
export function readEventId(id: string): readonly RequestId[] | null {
  try {
    const ids: unknown = JSON.parse(Buffer.from(id, "base64url").toString("utf8"))
    return Array.isArray(ids) && ids.every(isRequestId) ? ids : null
  } catch {
    return null
  }
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number"
}

/** The id of every event on the stream of a client that listens. */
export const listening = "listening"

/** One server-sent event. */
export interface ServerEvent {
  readonly event: string
  readonly id?: number
  readonly data: unknown
}

/** An event, or several as they are sent: what many streams send is encoded once. */
export type Sent = ServerEvent | Uint8Array

const encoder = new TextEncoder()

export function encodeEvents(events: readonly ServerEvent[]): Uint8Array {
  return encoder.encode(events.map(textOf).join(""))
}

function textOf({ event, id, data }: ServerEvent): string {
  const number = id === undefined ? "" : `id: ${id}\n`
  return `event: ${event}\n${number}data: ${JSON.stringify(data)}\n\n`
}

import { onAbort } from "../../kit/index.ts"
import { httpLimits } from "../limits.ts"

/** What a process says, for everyone who listens from some moment on. */
export interface Broadcast<Message> {
  /** A promise, where a listener has no room for more until it resolves. Without listeners nobody waits. */
  send(message: Message, bytes: number): void | Promise<void>
  /** Those who listen get what waits for them, and then the end. */
  end(): void
  /** Everything from now on. Ends by itself when the signal aborts. */
  listen(signal: AbortSignal): AsyncIterable<Message>
}

interface Listener<Message> {
  readonly waiting: { readonly message: Message; readonly bytes: number }[]
  bytes: number
  isOver: boolean
  /** Called when there is something to take, or nothing more to come. */
  wake: () => void
  /** Called when something was taken. */
  makeRoom: () => void
}

export function createBroadcast<Message>(): Broadcast<Message> {
  const listeners = new Set<Listener<Message>>()

  async function* take(listener: Listener<Message>): AsyncGenerator<Message> {
    try {
      for (;;) {
        const next = listener.waiting.shift()
        if (next) {
          listener.bytes -= next.bytes
          listener.makeRoom()
          yield next.message
        } else if (listener.isOver) {
          return
        } else {
          await new Promise<void>((resolve) => {
            listener.wake = resolve
          })
        }
      }
    } finally {
      leave(listener)
    }
  }
  function leave(listener: Listener<Message>): void {
    listeners.delete(listener)
    listener.isOver = true
    listener.waiting.length = 0
    listener.makeRoom()
    listener.wake()
  }
  function room(listener: Listener<Message>): Promise<void> {
    return new Promise((resolve) => {
      const before = listener.makeRoom
      listener.makeRoom = () => {
        if (listener.bytes >= httpLimits.e2bUnreadBytes && !listener.isOver) return
        listener.makeRoom = before
        before()
        resolve()
      }
    })
  }

  return {
    send(message, bytes) {
      const full: Listener<Message>[] = []
      for (const listener of listeners) {
        listener.waiting.push({ message, bytes })
        listener.bytes += bytes
        listener.wake()
        if (listener.bytes >= httpLimits.e2bUnreadBytes) full.push(listener)
      }
      if (full.length > 0) return Promise.all(full.map(room)).then(() => {})
    },
    end() {
      for (const listener of listeners) {
        listener.isOver = true
        listener.wake()
      }
      listeners.clear()
    },
    listen(signal) {
      const listener: Listener<Message> = {
        ...{ waiting: [], bytes: 0, isOver: signal.aborted },
        ...{ wake: () => {}, makeRoom: () => {} },
      }
      if (!listener.isOver) listeners.add(listener)
      onAbort(signal, () => leave(listener))
      return take(listener)
    },
  }
}

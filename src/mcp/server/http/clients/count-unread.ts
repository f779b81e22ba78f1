/** How much of an answer waits to be read; told of each change. */
export type Waiting = (bytes: number) => void

/**
 * Passes a stream on and counts what nobody has read yet. Whoever writes into these streams never waits,
 * so somebody else has to know when a reader is gone to sleep.
 */
export function passOn(
  body: ReadableStream<Uint8Array>,
  changed: Waiting,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const pieces: Uint8Array[] = []
  let state: "open" | "ended" | "cancelled" = "open"
  let wake = () => {}
  /** Handed over last: who asks for more has got rid of it. */
  let inHand = 0
  const letGo = () => {
    changed(-inHand)
    inHand = 0
  }

  async function take(): Promise<void> {
    for (;;) {
      const { done, value } = await reader.read()
      if (state === "cancelled") return
      if (done) break
      pieces.push(value)
      changed(value.length)
      wake()
    }
    state = "ended"
    wake()
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        take().catch((error) => controller.error(error))
      },
      async pull(controller) {
        letGo()
        if (pieces.length === 0 && state === "open") {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        if (state === "cancelled") return
        const piece = pieces.shift()
        if (!piece) return controller.close()
        inHand = piece.length
        controller.enqueue(piece)
      },
      async cancel(reason) {
        state = "cancelled"
        wake()
        letGo()
        for (const { length } of pieces.splice(0)) changed(-length)
        await reader.cancel(reason)
      },
    },
    // Nothing is taken before it is asked for.
    { highWaterMark: 0 },
  )
}

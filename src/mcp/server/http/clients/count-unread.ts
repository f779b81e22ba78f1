/**
 * Passes a stream on and reports each change of how many bytes nobody has read yet. Writers of these streams never
 * wait, so this is how a reader that has stopped is found.
 */
export function countUnread(
  body: ReadableStream<Uint8Array>,
  changed: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const pieces: Uint8Array[] = []
  let state: "open" | "ended" | "cancelled" = "open"
  let wake = () => {}
  /** The size of the piece handed over last, which is read when the next one is asked for. */
  let handedOver = 0
  const finishPiece = () => {
    changed(-handedOver)
    handedOver = 0
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
        finishPiece()
        if (pieces.length === 0 && state === "open") {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
        if (state === "cancelled") return
        const piece = pieces.shift()
        if (!piece) return controller.close()
        handedOver = piece.length
        controller.enqueue(piece)
      },
      async cancel(reason) {
        state = "cancelled"
        wake()
        finishPiece()
        for (const { length } of pieces.splice(0)) changed(-length)
        await reader.cancel(reason)
      },
    },
    // Nothing is handed over before it is asked for.
    { highWaterMark: 0 },
  )
}

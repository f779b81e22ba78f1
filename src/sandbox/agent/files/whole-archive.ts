/** Two empty blocks, which tar writes after the last file. */
const endBytes = 1024

/**
 * Passes an archive on. Programs that unpack take one that breaks off between two files for whole, so
 * the end of one that is not whole is never passed on: who reads it is to be ended by `onBroken`.
 */
export function wholeArchive(
  archive: ReadableStream<Uint8Array>,
  onBroken: (why: unknown) => void,
): ReadableStream<Uint8Array> {
  const reader = archive.getReader()
  let zeros = 0
  let isCancelled = false
  const neverEnds = (why: unknown) => {
    if (!isCancelled) onBroken(why)
    return new Promise<void>(() => {})
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done && zeros >= endBytes) return controller.close()
        if (done) return neverEnds(new Error("The archive ends too early."))
        const last = value.findLastIndex((byte) => byte !== 0)
        zeros = last < 0 ? zeros + value.length : value.length - 1 - last
        controller.enqueue(value)
      } catch (error) {
        return neverEnds(error)
      }
    },
    cancel: (reason) => {
      isCancelled = true
      return reader.cancel(reason)
    },
  })
}

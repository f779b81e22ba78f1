import { type FileHandle, open } from "node:fs/promises"
import { httpLimits } from "../limits.ts"

/** A file of this machine as a body. It is opened when somebody reads it: who asks with HEAD, or has gone, never does. */
export function fileBody(path: string): ReadableStream<Uint8Array> {
  let file: FileHandle | null = null
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        file ??= await open(path)
        const bytes = Buffer.allocUnsafe(httpLimits.fileBytes)
        try {
          const { bytesRead } = await file.read(bytes)
          if (bytesRead > 0) return controller.enqueue(bytes.subarray(0, bytesRead))
          controller.close()
        } catch (error) {
          controller.error(error)
        }
        await file.close()
      },
      cancel: () => file?.close(),
    },
    { highWaterMark: 0 },
  )
}

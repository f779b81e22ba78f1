import { parentPort } from "node:worker_threads"
import type { ConversionAnswer, ConversionJob } from "./conversion.ts"

// What comes from outside is only read here: no library may ask for more of it.
for (const name of ["fetch", "WebSocket", "EventSource"]) Reflect.deleteProperty(globalThis, name)

async function convert(job: ConversionJob): Promise<ConversionAnswer> {
  try {
    switch (job.kind) {
      case "html": {
        const { convertHtml } = await import("./convert-html.ts")
        return { kind: "converted", conversion: await convertHtml(job) }
      }
      case "pdf": {
        const { convertPdf } = await import("./convert-pdf.ts")
        return { kind: "converted", conversion: await convertPdf(job.bytes) }
      }
      default:
        return job satisfies never
    }
  } catch (error) {
    return { kind: "failed", reason: error instanceof Error ? error.message : String(error) }
  }
}

parentPort?.on("message", async (job: ConversionJob) => {
  parentPort?.postMessage(await convert(job))
})

import { answerRequests, type WorkAnswer } from "../../work/answer-requests.ts"
import type { Conversion, ConversionJob } from "./conversion.ts"

// Loaded by the first page that needs them; a process that can't find them is of no use.
for (const name of ["defuddle/node", "linkedom", "unpdf"]) import.meta.resolve(name)

async function convert(job: ConversionJob, bytes: Uint8Array<ArrayBuffer>): Promise<Conversion> {
  switch (job.kind) {
    case "html": {
      const { convertHtml } = await import("./convert-html.ts")
      return convertHtml(job, bytes)
    }
    case "pdf": {
      const { convertPdf } = await import("./convert-pdf.ts")
      return convertPdf(bytes)
    }
    default:
      return job satisfies never
  }
}

answerRequests(
  async (job: ConversionJob, bytes): Promise<WorkAnswer<Conversion>> => ({
    value: await convert(job, bytes),
  }),
)

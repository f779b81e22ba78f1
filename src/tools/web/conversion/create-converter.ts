import { ToolFailure } from "../../../contract/index.ts"
import { webLimits } from "../../limits.ts"
import type { SessionWork } from "../../work/session-work.ts"
import { Work } from "../../work/work.ts"
import type { Conversion, ConversionJob } from "./conversion.ts"

/** Makes text of a page in a process of its own: a hostile one must hold nothing up but itself. */
export type Convert = (
  job: ConversionJob,
  page: { readonly bytes: Uint8Array; readonly signal: AbortSignal },
) => Promise<Conversion>

export function createConverter(session: SessionWork): Convert {
  const kind = {
    file: new URL("./conversion-worker.ts", import.meta.url),
    memoryBytes: webLimits.conversionBytes,
  }
  const work = new Work<ConversionJob, Conversion>(kind, session)
  return async (job, page) => {
    try {
      return (await work.ask(job, page)).value
    } catch (error) {
      page.signal.throwIfAborted()
      throw error instanceof ToolFailure ? unreadable(error) : error
    }
  }
}

function unreadable(failure: ToolFailure): ToolFailure {
  const reason = failure.message.replace(/[.\s]+$/, "").slice(0, 200)
  return new ToolFailure(
    {
      kind: "execution_error",
      message: `The page can't be read: ${reason}. Ask for less with max_bytes, or for its source with format "raw".`,
      retryable: false,
    },
    { cause: failure },
  )
}

import { errorCode, errorText, groupDigits } from "../../kit/index.ts"
import { effectsLimits } from "../limits.ts"
import { type HomeTexts, processorMs } from "./home-texts.ts"
import { TooManyWatched } from "./watched-directory.ts"

/** Why a home is not looked at any more, and for how long that is not tried again. */
export class CantLook extends Error {
  readonly retryMs: number

  constructor(message: string, retryMs = 0) {
    super(message)
    this.retryMs = retryMs
  }
}

export function tooMany(): CantLook {
  const most = groupDigits(effectsLimits.entries)
  return new CantLook(`there are more than ${most} files and directories`, effectsLimits.retryMs)
}

export function tooMuch(): CantLook {
  return new CantLook("more had changed than could be looked at in the time for it")
}

export function explain(error: unknown): { readonly reason: string; readonly retryMs: number } {
  if (error instanceof CantLook) return { reason: error.message, retryMs: error.retryMs }
  const { retryMs } = effectsLimits
  if (error instanceof TooManyWatched) return { reason: error.message, retryMs }
  if (errorCode(error) === "ENOSPC" || errorCode(error) === "EMFILE") {
    return { reason: "this machine lets nobody watch more files (fs.inotify)", retryMs }
  }
  return { reason: `the files can't be watched: ${errorText(error)}`, retryMs }
}

/** Of processor time, so that a busy machine sees as much; of any time, ten times as long. Reading has its own. */
export function createBudget(
  milliseconds: number,
  reading: Pick<HomeTexts, "spentMs">,
): () => boolean {
  const [most, deadline] = [processorMs() + milliseconds, performance.now() + 10 * milliseconds]
  return () => {
    const { spentMs } = reading
    return processorMs() > most + spentMs || performance.now() > deadline + 10 * spentMs
  }
}

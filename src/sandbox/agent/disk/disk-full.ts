import { ToolFailure } from "../../../contract/index.ts"

/** What everything that runs answers when the sandbox has taken too much of the disk. */
export class DiskFull extends ToolFailure {
  constructor(reason: string) {
    super({
      kind: "execution_error",
      message: `${reason} What ran in the sandbox was ended, and nothing can be written until files are removed.`,
      retryable: false,
    })
  }
}

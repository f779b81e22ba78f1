import { ToolFailure } from "../../../contract/index.ts"

/** What everything that runs answers when the sandbox has taken too much of the disk. */
export class DiskFull extends ToolFailure {
  readonly reason: string

  constructor(reason: string) {
    super({
      kind: "execution_error",
      message: `${reason} What ran in the sandbox was ended, and nothing can be written until files are removed.`,
      retryable: false,
    })
    this.reason = reason
  }
}

/** For a sandbox that grew while it was full: a limit on the size of files does not stop every way to grow. */
export function commandsRefused({ reason }: DiskFull): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message: `${reason} It grew while it was full, so it runs no commands until files are removed with file.remove.`,
    retryable: false,
  })
}

export function snapshotRefused({ reason }: DiskFull): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message: `${reason} No snapshot is taken of it until files, or snapshots of it, are removed.`,
    retryable: false,
  })
}

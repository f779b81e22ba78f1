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

export function checkpointRefused({ reason }: DiskFull): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message: `${reason} Its files can't be recorded until files, or checkpoints and snapshots of it, are removed.`,
    retryable: false,
  })
}

export function checkpointTooLarge(): ToolFailure {
  return new ToolFailure({
    kind: "execution_error",
    message:
      "The sandbox's files can't be recorded: a copy of them takes more of the disk than its limits, or this machine, leave. " +
      "Remove files, or checkpoints and snapshots of it.",
    retryable: false,
  })
}

export function checkpointTooSlow(cause: unknown): ToolFailure {
  const message =
    "The sandbox's files can't be recorded: a copy of them takes too long. Remove files that are not needed."
  return new ToolFailure({ kind: "timeout", message }, { cause })
}

/** Only a process of the sandbox sees all layers of its home. */
export function checkpointUnseen(options?: ErrorOptions): ToolFailure {
  return new ToolFailure(
    {
      kind: "unavailable",
      message:
        "The sandbox's files can't be recorded: this user may not look into its home, or its first process has just ended.",
    },
    options,
  )
}

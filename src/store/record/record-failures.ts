import { ToolFailure } from "../../contract/index.ts"
import { describeOwner } from "../../node/index.ts"
import { recordLimits } from "../limits.ts"

export function inUse(name: string, owner: string): ToolFailure {
  const { name: other, isSeen } = describeOwner(owner)
  const quoted = JSON.stringify(name)
  const remedy = isSeen
    ? "Close it there, or use another name."
    : `If that process has ended, run: toolkeep sessions release ${quoted}`
  return new ToolFailure({
    kind: "unavailable",
    message: `The session ${quoted} is open in another process (${other}). ${remedy}`,
  })
}

/** Also in this process, where only the code that opened it may end it. */
export function isOpen(name: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `The session ${JSON.stringify(name)} is open. Close it first.`,
  })
}

export function takenOver(name: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `The session ${JSON.stringify(name)} was opened again or deleted elsewhere, so this process can't write to it any more.`,
    retryable: false,
  })
}

export function nameTaken(name: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `There is a session ${JSON.stringify(name)} already. Choose another name, or delete that one.`,
  })
}

export function noSuchParent(parent: number): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `An entry can follow only an earlier entry of its session, and there is no entry ${parent}.`,
  })
}

export function isFull(name: string): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `The session ${JSON.stringify(name)} has ${recordLimits.entries} entries, which is the most. Go on in another session.`,
    retryable: false,
  })
}

export function tooLarge(characters: number): ToolFailure {
  return new ToolFailure({
    kind: "unavailable",
    message: `An entry of ${characters} characters is too large for the record: at most ${recordLimits.bodyCharacters}.`,
    retryable: false,
  })
}

export function notJson(cause: unknown): ToolFailure {
  const reason = cause instanceof RangeError ? "it is nested too deeply" : "it is not JSON"
  return new ToolFailure(
    {
      kind: "unavailable",
      message: `An entry can't be recorded: ${reason}.`,
      retryable: false,
    },
    { cause },
  )
}

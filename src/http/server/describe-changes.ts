import type { RouteAnswer } from "../../api/index.ts"
import type { ChangesOf, SessionChanges } from "../../session/index.ts"

export function changesOf(call: string | undefined, turn: number | undefined): ChangesOf {
  if (call !== undefined) return { kind: "call", call }
  return turn === undefined ? { kind: "session" } : { kind: "turn", entry: turn }
}

export function describeChanges(changes: SessionChanges): RouteAnswer<"changes.list"> {
  const { calls, sandboxes, turns } = changes
  return {
    calls,
    sandboxes: sandboxes.map(({ sandbox, below, count, files, notes }) => ({
      ...{ sandbox, below, count, notes: [...notes] },
      files: files.map(({ path, change, type, bytes, diff, calls: by, isInterrupted }) => ({
        ...{ path, change, type, bytes, ...diff },
        ...{ calls: [...by], interrupted: isInterrupted },
      })),
    })),
    turns: turns.map(({ turn, at, text }) => ({ turn, at_ms: at, text })),
  }
}

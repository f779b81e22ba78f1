import { ToolFailure } from "../../contract/index.ts"
import { errorText } from "../../kit/index.ts"
import type { HostProof } from "../../store/index.ts"

type Check = HostProof["checks"][number]

/** Measures all promises of one of Toolkeep's hosts and stores what it found. */
export type ProveHost = (host: string, onCheck: (check: Check) => void) => Promise<void>

export interface Proofs {
  /** False when that host is being proved already. */
  start(host: string): boolean
  /** What was measured so far and what comes, until it has ended; at once where nothing is being proved. */
  watch(host: string, signal: AbortSignal): AsyncIterable<ProofEvent>
}

export interface ProofEvent {
  readonly event: "check" | "ended"
  readonly data: unknown
}

interface Proving {
  readonly checks: Check[]
  readonly listeners: Set<() => void>
  end: { readonly problem: string | null } | null
}

/** One host at a time: the checks measure times, which others would change. */
export function createProofs(prove: ProveHost | undefined): Proofs {
  const known = new Map<string, Proving>()
  const isBusy = () => [...known.values()].some(({ end }) => end === null)

  return {
    start(host) {
      if (known.get(host)?.end === null) return false
      if (!prove || isBusy()) {
        const message = prove
          ? "Another host is being proved. Try again when that has ended."
          : "This server can't prove promises: use toolkeep conform."
        throw new ToolFailure({ kind: "unavailable", message, retryable: prove !== undefined })
      }
      const proving: Proving = { checks: [], listeners: new Set(), end: null }
      known.set(host, proving)
      const tell = () => {
        for (const listener of proving.listeners) listener()
      }
      const finish = (problem: string | null) => {
        proving.end = { problem }
        tell()
      }
      prove(host, (check) => {
        proving.checks.push(check)
        tell()
      }).then(
        () => finish(null),
        (error: unknown) => finish(errorText(error)),
      )
      return true
    },
    async *watch(host, signal) {
      const proving = known.get(host)
      if (!proving) {
        yield { event: "ended", data: { problem: null } }
        return
      }
      let wake = () => {}
      const listener = () => wake()
      proving.listeners.add(listener)
      signal.addEventListener("abort", listener)
      try {
        for (let sent = 0; !signal.aborted; ) {
          const changed = new Promise<void>((resolve) => {
            wake = resolve
          })
          const more = proving.checks.slice(sent)
          sent += more.length
          for (const { id, ...check } of more) {
            yield { event: "check", data: { check: id, ...check } }
          }
          if (proving.end && sent === proving.checks.length) {
            yield { event: "ended", data: proving.end }
            return
          }
          if (sent === proving.checks.length && !signal.aborted) await changed
        }
      } finally {
        proving.listeners.delete(listener)
        signal.removeEventListener("abort", listener)
      }
    },
  }
}

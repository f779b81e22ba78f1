import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { RouteAnswer } from "../../src/api/index.ts"
import { Action } from "../parts/action.tsx"
import { ShownText } from "../parts/text/shown-text.tsx"
import { client } from "../state/client.ts"
import { watch } from "../state/watch.ts"

export type Proof = NonNullable<RouteAnswer<"hosts.list">["hosts"][number]["proof"]>
type Check = Proof["checks"][number]

interface ProveProps {
  readonly host: string
  readonly onProved: () => Promise<void>
}

type Progress =
  | { readonly kind: "none" }
  | { readonly kind: "proving"; readonly checks: readonly Check[] }
  | { readonly kind: "failed"; readonly why: string }

/** Measures the promises of a host here, with each result as it comes. It goes on when the page is left. */
export function Prove({ host, onProved }: ProveProps) {
  const progress = useSignal<Progress>({ kind: "none" })
  const isWatching = useSignal(true)
  useEffect(() => {
    if (!isWatching.value) return
    const checks: Check[] = []
    const stop = watch(
      "hosts.watch",
      () => ({ host }),
      ({ event, data }) => {
        if (event === "check") {
          checks.push(data as Check)
          progress.value = { kind: "proving", checks: [...checks] }
        }
        if (event !== "ended") return
        const { problem } = data as { readonly problem: string | null }
        isWatching.value = false
        progress.value = problem === null ? { kind: "none" } : { kind: "failed", why: problem }
        if (checks.length > 0) void onProved()
      },
    )
    return stop
  }, [isWatching.value])
  const prove = async () => {
    await client().request("hosts.prove", { host })
    progress.value = { kind: "proving", checks: [] }
    isWatching.value = true
  }
  const { value } = progress
  if (value.kind !== "proving") {
    return (
      <div class="row">
        <Action onAct={prove}>Prove {host}</Action>
        <span class="quiet">It takes minutes, and the server goes on.</span>
        {value.kind === "failed" && (
          <p role="alert">
            <ShownText text={value.why} />
          </p>
        )}
      </div>
    )
  }
  const broken = value.checks.filter(({ kept }) => kept === false)
  return (
    <>
      <p role="status">
        Proving: {value.checks.length} checks done, {broken.length} broken.
      </p>
      <Checks checks={value.checks.slice(-1)} />
    </>
  )
}

export function Checks({ checks }: { readonly checks: Proof["checks"] }) {
  return (
    <ul class="checks">
      {checks.map(({ check, promise, how }) => (
        <li key={check}>
          <code>{check}</code> <ShownText text={promise} />
          <div class="quiet">
            <ShownText text={how} />
          </div>
        </li>
      ))}
    </ul>
  )
}

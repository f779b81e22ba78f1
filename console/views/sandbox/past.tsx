import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { Action, failureText } from "../../parts/action.tsx"
import { sessions } from "../../state/sessions.ts"
import type { SandboxPlace } from "./sandbox-facts.ts"

interface Page<Item> {
  readonly items: readonly Item[]
  /** Where the page before this one begins; null for the first. */
  readonly next: number | null
}

type Past<Item> = { readonly kind: "loading" } | (Page<Item> & { readonly kind: "there" })

/**
 * What the record says of a sandbox, the newest first, a page at a time: the newest page again whenever something was
 * recorded, and earlier ones when they are asked for.
 */
export function usePast<Item extends { readonly sequence: number }>(
  { session, sandbox }: SandboxPlace,
  read: (before: number | undefined, signal: AbortSignal) => Promise<Page<Item>>,
) {
  const past = useSignal<Past<Item>>({ kind: "loading" })
  const problem = useSignal<string | null>(null)
  const head = sessions.value.find(({ name }) => name === session)?.head
  useEffect(() => {
    past.value = { kind: "loading" }
  }, [session, sandbox])
  useEffect(() => {
    const ended = new AbortController()
    read(undefined, ended.signal).then(
      (page) => {
        past.value = { kind: "there", ...joined(page, past.peek()) }
        problem.value = null
      },
      (error: unknown) => {
        if (!ended.signal.aborted) problem.value = failureText(error)
      },
    )
    return () => ended.abort()
  }, [session, sandbox, head])
  const loadEarlier = async () => {
    const shown = past.peek()
    if (shown.kind !== "there" || shown.next === null) return
    const page = await read(shown.next, new AbortController().signal)
    past.value = { kind: "there", items: [...shown.items, ...page.items], next: page.next }
  }
  const shown = past.value
  const earlier = shown.kind === "there" && shown.next !== null && (
    <div class="row bar">
      <Action onAct={loadEarlier}>Show earlier</Action>
    </div>
  )
  return {
    items: shown.kind === "there" ? shown.items : null,
    problem: problem.value !== null && <p role="alert">{problem.value}</p>,
    earlier,
  }
}

/** The newest page before what is shown, unless so much has come that something between them would be missing. */
function joined<Item extends { readonly sequence: number }>(
  page: Page<Item>,
  shown: Past<Item>,
): Page<Item> {
  const oldest = page.items.at(-1)?.sequence ?? 0
  const newestShown = shown.kind === "there" ? (shown.items[0]?.sequence ?? 0) : 0
  if (shown.kind !== "there" || page.next === null || newestShown < oldest) return page
  const earlier = shown.items.filter(({ sequence }) => sequence < oldest)
  return { items: [...page.items, ...earlier], next: earlier.length > 0 ? shown.next : page.next }
}

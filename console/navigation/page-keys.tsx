import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { useLocation } from "preact-iso"
import { type KeyBinding, listenForKeys, useKeys } from "../state/keys.ts"
import { questions } from "../state/questions.ts"
import { sessions } from "../state/sessions.ts"
import { KeyHelp } from "./key-help.tsx"
import { Palette } from "./palette.tsx"
import { pathAbove, sandboxPath, sessionBeside, sessionOf, sessionPath, views } from "./views.ts"

/** The keys that every view has, with the dialogs that they open. */
export function PageKeys() {
  const { route, path } = useLocation()
  const shown = useSignal<"help" | "palette" | null>(null)
  const close = () => {
    shown.value = null
  }
  const goBeside = (step: -1 | 1) => {
    const names = sessions.peek().map(({ name }) => name)
    const next = sessionBeside(names, sessionOf(path), step)
    if (next !== undefined) route(sessionPath(next))
  }
  const session = sessionOf(path)
  const openTerminal = () => {
    const place = path.startsWith("/b/") ? path : sandboxPath(session ?? "", "default")
    route(`${place}?tab=terminal`)
  }
  const goUp = () => route(pathAbove(path))
  useEffect(() => listenForKeys(), [])
  useKeys(
    [
      ...goTo(route),
      ...onPage({ shown, goBeside, goUp, openTerminal, hasSession: session !== null }),
    ],
    [path],
  )
  if (shown.value === "help") return <KeyHelp onClose={close} />
  if (shown.value === "palette") return <Palette onClose={close} />
  return null
}

function goTo(route: (path: string) => void): readonly KeyBinding[] {
  const toViews = views.map(({ path, name, key }) => ({
    ...{ keys: `g ${key}`, does: name, group: "Go to" as const },
    act: () => route(path),
  }))
  const toSession: KeyBinding = {
    ...{ keys: "g s", does: "The latest session", group: "Go to" },
    when: () => sessions.peek().length > 0,
    act: () => route(sessionPath(sessions.peek()[0]?.name ?? "")),
  }
  const toQuestion: KeyBinding = {
    ...{ keys: "u", does: "The next question that waits", group: "Go to" },
    when: () => questions.peek().length > 0,
    act: () => route(`/waiting?question=${encodeURIComponent(nextQuestion() ?? "")}`),
  }
  return [...toViews, toSession, toQuestion]
}

/** After the one that the address names, in a ring; the oldest where it names none. */
function nextQuestion(): string | undefined {
  const ids = questions.peek().map(({ question }) => question)
  const current = new URLSearchParams(location.search).get("question")
  return ids[(ids.indexOf(current ?? "") + 1) % ids.length]
}

interface PageActions {
  readonly shown: { value: "help" | "palette" | null }
  readonly goBeside: (step: -1 | 1) => void
  readonly goUp: () => void
  /** Whether the page is about a session. */
  readonly hasSession: boolean
  readonly openTerminal: () => void
}

function onPage(actions: PageActions): readonly KeyBinding[] {
  const { shown, goBeside, goUp, hasSession, openTerminal } = actions
  const one = (keys: string, does: string, act: () => void): KeyBinding => {
    return { keys, does, group: "Page", act }
  }
  return [
    one("Ctrl+k", "Go to or do anything", () => {
      shown.value = "palette"
    }),
    one("?", "Show the keys", () => {
      shown.value = "help"
    }),
    one("/", "Search", focusSearch),
    one("[", "The session before", () => goBeside(-1)),
    one("]", "The session after", () => goBeside(1)),
    { ...one("`", "Terminal", openTerminal), when: () => hasSession },
    one("Escape", "Back", goUp),
  ]
}

/** The view's own field, or that of the navigation. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>("main input[type=search]")
  const any = field ?? document.querySelector<HTMLInputElement>("input[type=search]")
  any?.focus()
}

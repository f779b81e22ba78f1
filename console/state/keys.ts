import { type ReadonlySignal, signal } from "@preact/signals"
import { useEffect } from "preact/hooks"

export interface KeyBinding {
  /** As events name them ("j", "A", "?", "Escape"), after each other ("g n"), or held ("Ctrl+k"). */
  readonly keys: string
  /** What it does, for the help and the palette. */
  readonly does: string
  readonly group: "Go to" | "Page" | "Replay" | "Card" | "Question"
  readonly act: () => void
  /** Whether it can be used now; always when absent. */
  readonly when?: () => boolean
  /** Whether it acts again while the key is held. */
  readonly repeats?: true
}

export interface Keys {
  readonly bindings: ReadonlySignal<readonly KeyBinding[]>
  /** The returned function takes them back. Of two with the same keys, the later one counts. */
  register(bindings: readonly KeyBinding[]): () => void
  /** What a key stands for, after the keys before it. */
  press(name: string, atMs: number): KeyBinding | null
}

/** How long the second key of two may take. */
const sequenceMs = 1_500

export function createKeys(): Keys {
  const bindings = signal<readonly KeyBinding[]>([])
  let before: { readonly keys: string; readonly atMs: number } | null = null

  function find(keys: string): KeyBinding | null {
    const all = bindings.peek()
    return all.findLast((one) => one.keys === keys && (one.when?.() ?? true)) ?? null
  }
  const isBeginning = (keys: string) =>
    bindings.peek().some((one) => one.keys.startsWith(`${keys} `) && (one.when?.() ?? true))

  return {
    bindings,
    register(added) {
      bindings.value = [...bindings.peek(), ...added]
      return () => {
        bindings.value = bindings.peek().filter((one) => !added.includes(one))
      }
    },
    press(name, atMs) {
      const isNext = before !== null && atMs - before.atMs < sequenceMs
      const found = (isNext && find(`${before?.keys} ${name}`)) || find(name)
      before = !found && isBeginning(name) ? { keys: name, atMs } : null
      return found
    },
  }
}

/** The keys of the page: every view and every card adds its own. */
export const keys = createKeys()

/** Adds keys for as long as a component is drawn; again when one of `deps` changes. */
export function useKeys(bindings: readonly KeyBinding[], deps: readonly unknown[] = []): void {
  useEffect(() => keys.register(bindings), [...deps])
}

/** One listener for the whole page, until the returned function is called. */
export function listenForKeys(): () => void {
  const listener = (event: KeyboardEvent) => {
    const name = keyName(event)
    if (name === null || event.defaultPrevented || isTyping(event.target)) return
    // A dialog has the keys to itself.
    if (document.querySelector("dialog[open]")) return
    const found = keys.press(name, event.timeStamp)
    if (!found || (event.repeat && !found.repeats)) return
    event.preventDefault()
    found.act()
  }
  document.addEventListener("keydown", listener)
  return () => document.removeEventListener("keydown", listener)
}

export function isTyping(target: EventTarget | null): boolean {
  const fields =
    "input:not([type=checkbox], [type=radio], [type=button]), textarea, select, [contenteditable=true]"
  return target instanceof Element && target.closest(fields) !== null
}

type Pressed = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">

/** Null for what is no key of its own. */
export function keyName({ key, ctrlKey, metaKey, altKey }: Pressed): string | null {
  if (["Shift", "Control", "Alt", "Meta"].includes(key) || altKey) return null
  return ctrlKey || metaKey ? `Ctrl+${key.toLowerCase()}` : key
}

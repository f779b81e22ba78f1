import { signal } from "@preact/signals"
import type { Question } from "./questions.ts"

export type Permission = "default" | "granted" | "denied" | "missing"

/** Whether this browser shows notifications of the console. */
export const permission = signal<Permission>(
  typeof Notification === "undefined" ? "missing" : Notification.permission,
)

export async function askPermission(): Promise<void> {
  permission.value = await Notification.requestPermission()
}

let known: ReadonlySet<string> | null = null

/** One notification for each new question, while nobody looks at the page. A click opens exactly that question. */
export function notifyOf(questions: readonly Question[]): void {
  const before = known
  known = new Set(questions.map(({ question }) => question))
  // What waits when the page opens is on the page.
  if (before === null || permission.peek() !== "granted" || document.hasFocus()) return
  for (const { question, tool, session } of questions) {
    if (before.has(question)) continue
    // Not the arguments: others may see the screen.
    const shown = new Notification(`${tool} asks`, { body: `Session ${session}`, tag: question })
    shown.onclick = () => {
      focus()
      openAddress(`/waiting?question=${encodeURIComponent(question)}`)
      shown.close()
    }
  }
}

/** As a link in the page would. */
function openAddress(address: string): void {
  history.pushState(null, "", address)
  dispatchEvent(new PopStateEvent("popstate"))
}

import { printable } from "./mark-unseen.ts"

/** Tells everybody. A listener that throws harms neither what it listens to nor the other listeners. */
export function publish<Event>(listeners: Iterable<(event: Event) => void>, event: Event): void {
  for (const listener of listeners) {
    try {
      listener(event)
    } catch (error) {
      const said = error instanceof Error ? error.stack : error
      console.error(printable(`A listener of Toolkeep's events threw: ${said}`))
    }
  }
}

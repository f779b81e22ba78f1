import { groupDigits } from "../../kit/index.ts"
import { reactiveLimits } from "../limits.ts"

const { pageNodes, pageCharacters } = reactiveLimits

/** What one part of a page may have: the tree, or the content of a hole. */
export class Budget {
  #nodes = 0
  #characters = 0

  /** Throws where there are more than a page could draw. */
  countNode(): void {
    this.#nodes += 1
    if (this.#nodes <= pageNodes) return
    throw new Error(
      `This part of the page has more than ${groupDigits(pageNodes)} elements and texts: show fewer of them.`,
    )
  }

  /** As much of a text as there is room for, and a note on the rest. */
  cut(text: string): string {
    const room = pageCharacters - this.#characters
    this.#characters += Math.min(room, text.length)
    if (text.length <= room) return text
    return `${text.slice(0, room)}[... ${groupDigits(text.length - room)} characters are not shown ...]`
  }
}

import type { KeyBinding } from "../state/keys.ts"

/** Keys that go from card to card, and do what the card's own buttons do. */
export function cardKeys(toEnd: () => void): readonly KeyBinding[] {
  const one = (keys: string, does: string, act: () => void): KeyBinding => {
    return { keys, does, group: "Card", act }
  }
  const onCard = (keys: string, does: string, act: (card: HTMLElement) => void): KeyBinding => ({
    ...one(keys, does, () => {
      const card = focusedCard()
      if (card) act(card)
    }),
    when: () => focusedCard() !== null,
  })
  return [
    { ...one("j", "Next card", () => focusBeside(1)), repeats: true },
    { ...one("k", "Card before", () => focusBeside(-1)), repeats: true },
    one(".", "To the newest card", toEnd),
    onCard("Enter", "Receipt", (card) => press(card, "a[data-receipt]")),
    onCard("o", "Answer as JSON", (card) => press(card, "button[aria-pressed]")),
    onCard("t", "Terminate", (card) => press(card, "header .danger")),
    onCard("y", "Copy the text", (card) => {
      // A browser may refuse; the text can still be selected.
      // biome-ignore lint/performance/useDomNodeTextContent: with its lines, as a person sees them.
      navigator.clipboard.writeText(card.innerText).catch(() => {})
    }),
  ]
}

function press(card: HTMLElement, button: string): void {
  card.querySelector<HTMLElement>(button)?.click()
}

/** The card that has the focus itself: a button in it has its own keys. */
function focusedCard(): HTMLElement | null {
  const { activeElement: focused } = document
  return focused instanceof HTMLElement && focused.dataset.call !== undefined ? focused : null
}

function focusBeside(step: -1 | 1): void {
  const cards = [...document.querySelectorAll<HTMLElement>(".scroller [data-call]")]
  const ordered = cards.toSorted((one, two) => topOf(one) - topOf(two))
  const at = ordered.findIndex((card) => card.contains(document.activeElement))
  const next = at === -1 ? ordered.findLast(isSeen) : ordered[at + step]
  next?.focus()
}

function topOf(card: HTMLElement): number {
  return card.getBoundingClientRect().top
}

function isSeen(card: HTMLElement): boolean {
  return topOf(card) < innerHeight
}

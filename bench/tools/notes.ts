/** The same numbers from 0 to 1 in every run. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Names of three of these each: real notes are full of words that few of them share. */
const syllables =
  "ka lo mi ren sa tor vel dan be fro gu lin mar no pel qui ro si tan ul wen xa yo zim".split(" ")

const parts = [
  [
    ...["prefers", "complained about", "ordered", "repaired", "forgot", "asked for", "cancelled"],
    ...["praised", "is allergic to", "wrote about", "sold", "is looking for", "is afraid of"],
  ],
  [
    ...[
      "dark roast coffee",
      "the nightly backup",
      "a red bicycle",
      "the tax report",
      "jazz records",
    ],
    ...[
      "strawberry cake",
      "window seats on flights",
      "the login page",
      "a kitchen sink",
      "peanuts",
    ],
    ...["the database migration", "walks in the mountains", "the rental contract", "old maps"],
    ...["the quarterly numbers", "a winter coat", "the broken elevator", "violin lessons"],
  ],
  [
    ...["yesterday", "every Monday", "in March", "before the release", "after the storm"],
    ...["for the wedding", "without telling anyone", "because of the price", "during the holidays"],
  ],
  [
    ...["and wants to be reminded", "and said so in a letter", "which surprised everyone"],
    ...["though nobody had asked", "and will call again", "as the calendar shows"],
  ],
]

/** Different sentences such as an agent remembers, in an order of chance. */
export function notes(count: number): readonly string[] {
  const random = randomFrom(7)
  const made = new Set<string>()
  while (made.size < count) {
    const one = (choices: readonly string[]) => choices[Math.floor(random() * choices.length)]
    const name = `${one(syllables)}${one(syllables)}${one(syllables)}`
    made.add(`${name} ${parts.map(one).join(" ")}.`)
  }
  return [...made]
}

/** Retired word → what to write instead. */
type Instead = Readonly<Record<string, string>>

/** Last words of a type's name. */
export const typeEndings: Instead = {
  Wish: "Request",
  Parts: "Deps or Options",
  Means: "Deps or Options",
  Surroundings: "Deps or Options",
  Ground: "Deps or Options",
}

/** First words of any name. */
export const nameStarts: Instead = {
  usual: "default",
}

/** Words anywhere in a name, singular or plural. */
export const nameWords: Instead = {
  asker: "Caller",
  misuse: "UsageError",
  door: "proxy socket",
  entrance: "auth",
  passage: "outbound connection",
  insideRun: "run script",
  lender: "injected programs",
}

/** Phrases of comments and documents. "usually" and "unusual" are fine: they do not name a default. */
export const phrases: Instead = {
  usual: "default",
  anew: "again",
  "told of": "shown, offered or informed about",
  "lets through": "allows",
}

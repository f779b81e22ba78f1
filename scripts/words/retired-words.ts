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

/** What messages and schema descriptions must not say, beside the phrases: shown → how it is found, and what to write. */
export const messagePhrases: Readonly<
  Record<string, { readonly pattern: RegExp; readonly instead: string }>
> = {
  "is no": {
    pattern: /(?<!\bthere )\b(?:is|are|was|were) no\b(?! longer| more)/gi,
    instead: '"is not a"; "there is no" is fine',
  },
  "made of": { pattern: /\bmade of\b/gi, instead: "made from or created from" },
  who: { pattern: /(?<=^|[.!?;:] )who\b/gi, instead: "the noun: the client who" },
}

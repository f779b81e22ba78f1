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
  whoever: "the noun: the client that, the process that",
  "nobody's": "without an owner, or the sentence without it",
  "one's own": "your own, or a user's own",
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
  "is to be": { pattern: /\b(?:is|are) to be\b/gi, instead: "what happens: is, must, will" },
  "so many": { pattern: /\bso many\b/gi, instead: "this many" },
  "for good": { pattern: /\bfor good\b/gi, instead: "permanently" },
  "by nobody": { pattern: /\b(?:by|of|for) nobody\b/gi, instead: "what happens without it" },
  who: { pattern: /(?<=^|[.!?;:] )who\b/gi, instead: "the noun: the client who" },
}

/** A glob for one name, without slashes or braces. */
export interface NamePattern {
  readonly tokens: readonly NameToken[]
  /** It starts with a dot of its own. */
  readonly hidden: boolean
}

type NameToken =
  | { readonly kind: "character"; readonly character: string }
  | { readonly kind: "one" }
  | { readonly kind: "many" }
  | { readonly kind: "set"; readonly negated: boolean; readonly ranges: readonly CharacterRange[] }

interface CharacterRange {
  readonly from: string
  readonly to: string
}

export type NameVerdict =
  | { readonly ok: true; readonly name: NamePattern }
  | { readonly ok: false; readonly problem: string }

export function parseName(text: string): NameVerdict {
  const characters = Array.from(text)
  const tokens: NameToken[] = []
  for (let at = 0; at < characters.length; ) {
    const character = characters[at] ?? ""
    if (character === "[") {
      const set = parseSet(characters, at)
      if (!set) return { ok: false, problem: 'it has a "[" without its "]"' }
      tokens.push(set.token)
      at = set.end
    } else if (character === "\\" && at + 1 < characters.length) {
      tokens.push({ kind: "character", character: characters[at + 1] ?? "" })
      at += 2
    } else {
      tokens.push(simpleToken(character))
      at += 1
    }
  }
  const [first] = tokens
  return {
    ok: true,
    name: { tokens, hidden: first?.kind === "character" && first.character === "." },
  }
}

/** Every name that the pattern matches also matches this: letters, digits and a few signs, and stars. */
export function simpleGlob({ tokens }: NamePattern): string {
  const glob = tokens
    .map((token) =>
      token.kind === "character" && plain.test(token.character) ? token.character : "*",
    )
    .join("")
  return glob.replace(/\*+/g, "*")
}

/** What means itself in every kind of glob. */
const plain = /^[A-Za-z0-9._ +@=,-]$/

function simpleToken(character: string): NameToken {
  if (character === "*") return { kind: "many" }
  return character === "?" ? { kind: "one" } : { kind: "character", character }
}

/** "[a-z]", "[!a-z]" and "[^a-z]"; a "]" that comes first stands for itself. */
function parseSet(
  characters: readonly string[],
  start: number,
): { readonly token: NameToken; readonly end: number } | null {
  const negated = characters[start + 1] === "!" || characters[start + 1] === "^"
  const first = start + (negated ? 2 : 1)
  const close = characters.indexOf("]", first + 1)
  if (close === -1) return null
  const ranges: CharacterRange[] = []
  for (let at = first; at < close; ) {
    const from = characters[at] ?? ""
    const isRange = characters[at + 1] === "-" && at + 2 < close
    ranges.push({ from, to: isRange ? (characters[at + 2] ?? from) : from })
    at += isRange ? 3 : 1
  }
  return { token: { kind: "set", negated, ranges }, end: close + 1 }
}

/** Only the last star is ever widened, so the work is at most the product of the two lengths. */
export function matchesName(
  pattern: NamePattern,
  text: string,
  wildcardsSeeHidden: boolean,
): boolean {
  if (text.startsWith(".") && !pattern.hidden && !wildcardsSeeHidden) return false
  const { tokens } = pattern
  const characters = Array.from(text)
  let token = 0
  let at = 0
  let retry: { token: number; at: number } | null = null
  while (at < characters.length) {
    const current = tokens[token]
    if (current?.kind === "many") {
      retry = { token: token + 1, at }
      token += 1
    } else if (current && matchesCharacter(current, characters[at] ?? "")) {
      token += 1
      at += 1
    } else {
      if (!retry) return false
      retry = { token: retry.token, at: retry.at + 1 }
      token = retry.token
      at = retry.at
    }
  }
  return tokens.slice(token).every((rest) => rest.kind === "many")
}

function matchesCharacter(token: NameToken, character: string): boolean {
  switch (token.kind) {
    case "character":
      return token.character === character
    case "one":
    case "many":
      return true
    case "set":
      return (
        token.negated !== token.ranges.some(({ from, to }) => from <= character && character <= to)
      )
    default:
      return token satisfies never
  }
}

import { messagePhrases, nameStarts, nameWords, phrases, typeEndings } from "./retired-words.ts"
import { blank, type SourceName, scanSource } from "./scan-source.ts"

export interface WordProblem {
  readonly file: string
  readonly line: number
  readonly message: string
}

interface Retired {
  readonly word: string
  readonly pattern: RegExp
  readonly instead: string
}

const retiredNames: readonly Retired[] = [
  ...retired(typeEndings, (word) => new RegExp(`^(?:[A-Z]\\w*)?${word}$`)),
  ...retired(nameStarts, (word) => new RegExp(`^(?:${word}|${capital(word)})(?![a-z])`)),
  ...retired(nameWords, (word) => new RegExp(`(?:^${word}|${capital(word)})s?(?![a-z])`)),
]

/** A phrase may go on in the next line of a comment or a list. */
const retiredPhrases = retired(
  phrases,
  (phrase) => new RegExp(`\\b${phrase.replaceAll(" ", "[\\s*/>]+")}\\b`, "gi"),
)

const retiredMessages: readonly Retired[] = [
  ...retiredPhrases,
  ...Object.entries(messagePhrases).map(([word, said]) => ({ word, ...said })),
]

/** Most files have none of the words, so they need not be parsed. */
const mayHaveSome = new RegExp(
  [...retiredNames, ...retiredPhrases].map(({ word }) => word.split(" ")[0]).join("|"),
  "i",
)

/** Retired words in TypeScript sources (names, comments, file names) and in Markdown documents. Messages are the strings of src without its tests. */
export function wordProblems(files: ReadonlyMap<string, string>): WordProblem[] {
  return [...files].flatMap(([file, text]) => {
    const found = file.endsWith(".md") ? findPhrases(withoutCode(text)) : findInSource(file, text)
    return found
      .sort((a, b) => a.offset - b.offset)
      .map(({ offset, message }) => ({ file, line: lineAt(text, offset), message }))
  })
}

interface Name extends SourceName {
  /** How problems show it; the name itself when absent. */
  readonly shown?: string
}

interface Found {
  readonly offset: number
  readonly message: string
}

function findInSource(file: string, source: string): Found[] {
  const inPath = findNames(pathNames(file))
  const isShown = file.startsWith("src/") && !file.endsWith(".test.ts")
  const maySay = isShown && retiredMessages.some(({ pattern }) => source.search(pattern) >= 0)
  if (!maySay && !mayHaveSome.test(source)) return inPath
  const { names, comments, strings } = scanSource(file, source)
  return [
    ...inPath,
    ...findNames(names),
    ...findPhrases(withoutCodeSpans(comments)),
    ...(isShown ? strings : []).flatMap(({ text, offset }) =>
      findPhrases(text, retiredMessages).map((found) => ({
        ...found,
        offset: offset + found.offset,
      })),
    ),
  ]
}

function findNames(names: readonly Name[]): Found[] {
  return names.flatMap(({ text, offset, shown = text }) =>
    retiredNames
      .filter(({ pattern }) => pattern.test(text))
      .map(({ word, instead }) => ({
        offset,
        message: `${shown}: instead of "${word}" write ${instead}`,
      })),
  )
}

function findPhrases(prose: string, retired: readonly Retired[] = retiredPhrases): Found[] {
  return retired.flatMap(({ word, pattern, instead }) =>
    [...prose.matchAll(pattern)].map(({ index }) => ({
      offset: index,
      message: `instead of "${word}" write ${instead}`,
    })),
  )
}

/** Folders and the file, as the types that they could define: "own-parts.test.ts" as OwnParts. */
function pathNames(file: string): Name[] {
  return file.split("/").map((part) => {
    const [base = ""] = part.split(".")
    return { text: base.split("-").map(capital).join(""), offset: 0, shown: part }
  })
}

function withoutCode(markdown: string): string {
  return withoutCodeSpans(markdown.replace(/^ *(```|~~~)[\s\S]*?^ *\1/gm, blank))
}

function withoutCodeSpans(prose: string): string {
  return prose.replace(/`[^`\n]+`/g, blank)
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length
}

function retired(
  words: Readonly<Record<string, string>>,
  patternOf: (word: string) => RegExp,
): Retired[] {
  return Object.entries(words).map(([word, instead]) => ({
    word,
    instead,
    pattern: patternOf(word),
  }))
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1)
}

import type { Envelope, Failure } from "../../src/contract/envelope/envelope.ts"
import { listingTree, type TreeNode } from "./listing-tree.ts"
import { fieldOf, listOf, numberOf, textOf } from "./read-field.ts"

/** What a call answered, by the kind of it. */
export type ResultView =
  | { readonly kind: "failure"; readonly failure: Failure }
  | CommandView
  | {
      readonly kind: "listing"
      readonly path: string
      readonly tree: readonly TreeNode[]
      readonly count: number
      readonly isCut: boolean
    }
  | {
      readonly kind: "file"
      readonly path: string
      readonly text: string
      readonly startLine: number
      readonly isCut: boolean
    }
  | {
      readonly kind: "diff"
      readonly path: string | null
      readonly diff: string
      readonly about: string
    }
  | { readonly kind: "matches"; readonly matches: readonly Match[]; readonly isCut: boolean }
  | { readonly kind: "picture"; readonly about: string; readonly artifact: ShownArtifact }
  | { readonly kind: "artifact"; readonly about: string; readonly artifact: ShownArtifact }
  | PageView
  | { readonly kind: "text"; readonly text: string }
  /** Names and values, each in one line. */
  | { readonly kind: "facts"; readonly facts: readonly (readonly [string, string])[] }
  | { readonly kind: "json"; readonly value: unknown }

export interface CommandView {
  readonly kind: "command"
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  readonly cwd: string
  readonly isTimedOut: boolean
  readonly isKilled: boolean
  readonly bytesCut: number
  /** The value of a program, where its language has one. */
  readonly value: string | null
}

export interface PageView {
  readonly kind: "page"
  readonly url: string
  readonly title: string
  readonly status: number | null
  readonly text: string
  readonly isMarkdown: boolean
  readonly isCut: boolean
}

export interface Match {
  readonly path: string
  readonly line: number | null
  readonly text: string
}

export interface ShownArtifact {
  readonly id: string
  readonly filename: string
  readonly mediaType: string
  readonly bytes: number
}

/** `sent` are the arguments: a patch is in them, not in its result. */
export function resultView(envelope: Envelope, sent: unknown): ResultView {
  if (!envelope.ok) return { kind: "failure", failure: envelope }
  const { result } = envelope
  if (typeof result === "string") return { kind: "text", text: result }
  return knownView(result, sent) ?? { kind: "json", value: result }
}

function knownView(result: unknown, sent: unknown): ResultView | null {
  switch (fieldOf(result, "kind")) {
    case "command":
    case "code":
      return commandView(result)
    case "listing":
      return {
        ...{ kind: "listing", path: textOf(result, "path") ?? "", tree: listingTree(result) },
        ...{ count: listOf(result, "entries").length, isCut: isCut(result) },
      }
    case "file":
      return fileView(result)
    case "edit":
      return diffView(textOf(result, "path"), textOf(result, "diff"), editText(result))
    case "patch":
      return diffView(null, textOf(sent, "patch"), patchText(result))
    case "search":
      return matchesView(result)
    case "image":
    case "chart":
    case "media":
    case "artifact":
      return artifactView(result)
    case "page":
      return pageView(result)
    case "transcript":
      return { kind: "text", text: textOf(result, "text") ?? "" }
    default:
      return factsView(result)
  }
}

const factCharacters = 300

/** What a tool reports in a few plain values, such as that it has written a file. */
function factsView(result: unknown): ResultView | null {
  const { kind, ...rest } = Object(result)
  const values = Object.entries(rest)
  const isPlain = (value: unknown) =>
    typeof value === "string"
      ? value.length <= factCharacters && !value.includes("\n")
      : typeof value === "number" || typeof value === "boolean"
  const isShown = typeof kind === "string" && values.length > 0
  if (!isShown || !values.every(([, value]) => isPlain(value))) return null
  return {
    kind: "facts",
    facts: values.map(([name, value]) => [name.replaceAll("_", " "), String(value)]),
  }
}

const cutNote = /\n\[\.\.\. (\d+) bytes left out \.\.\.\]\n/g

function commandView(result: unknown): CommandView | null {
  const exitCode = numberOf(result, "exit_code")
  if (exitCode === null) return null
  const stdout = textOf(result, "stdout") ?? ""
  const stderr = textOf(result, "stderr") ?? ""
  const cuts = [...stdout.matchAll(cutNote), ...stderr.matchAll(cutNote)]
  return {
    ...{ kind: "command", stdout, stderr, exitCode, cwd: textOf(result, "cwd") ?? "" },
    isTimedOut: fieldOf(result, "timed_out") === true,
    isKilled: fieldOf(result, "killed_by") === "user",
    bytesCut: cuts.reduce((sum, [, bytes]) => sum + Number(bytes), 0),
    value: textOf(result, "text"),
  }
}

function fileView(result: unknown): ResultView | null {
  const text = textOf(result, "text")
  if (text === null) return null
  return {
    ...{ kind: "file", path: textOf(result, "path") ?? "", text, isCut: isCut(result) },
    startLine: numberOf(result, "start_line") ?? 1,
  }
}

function diffView(path: string | null, diff: string | null, about: string): ResultView | null {
  return diff === null || diff === "" ? null : { kind: "diff", path, diff, about }
}

function editText(result: unknown): string {
  return counted(numberOf(result, "replacements") ?? 0, "replacement")
}

function patchText(result: unknown): string {
  return counted(numberOf(result, "file_count") ?? listOf(result, "files").length, "file")
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`
}

/** Of file.grep and file.glob; other searches are shown as they are. */
function matchesView(result: unknown): ResultView | null {
  const files = fieldOf(result, "files")
  const matches = fieldOf(result, "matches")
  if (Array.isArray(files)) {
    const found = files.map((path) => ({ path: String(path), line: null, text: "" }))
    return { kind: "matches", matches: found, isCut: isCut(result) }
  }
  if (!Array.isArray(matches)) return null
  const found = matches.map((match) => ({
    path: textOf(match, "path") ?? "",
    line: numberOf(match, "line"),
    text: textOf(match, "text") ?? "",
  }))
  return { kind: "matches", matches: found, isCut: isCut(result) }
}

/** What the page draws; anything else is only downloaded. */
const drawable = new Set([
  ...["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/svg+xml"],
])

function artifactView(result: unknown): ResultView | null {
  const artifact = artifactOf(fieldOf(result, "artifact"))
  if (!artifact) return null
  const about = textOf(result, "description") ?? textOf(result, "title") ?? artifact.filename
  return { kind: drawable.has(artifact.mediaType) ? "picture" : "artifact", about, artifact }
}

function artifactOf(value: unknown): ShownArtifact | null {
  const id = textOf(value, "id")
  if (id === null) return null
  return {
    ...{ id, filename: textOf(value, "filename") ?? id, bytes: numberOf(value, "size") ?? 0 },
    mediaType: textOf(value, "mime_type") ?? "",
  }
}

function pageView(result: unknown): PageView {
  const format = textOf(result, "format")
  return {
    kind: "page",
    url: textOf(result, "final_url") ?? textOf(result, "url") ?? "",
    title: textOf(result, "title") ?? "",
    status: numberOf(result, "status"),
    text: textOf(result, "text") ?? textOf(result, "tree") ?? "",
    isMarkdown: format === "markdown",
    isCut: isCut(result),
  }
}

function isCut(result: unknown): boolean {
  return fieldOf(result, "truncated") === true
}

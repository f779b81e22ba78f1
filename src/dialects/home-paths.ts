import { type Envelope, isInside, isObject } from "../contract/index.ts"
import { escapePattern } from "./translate-words.ts"

/** The fields of results that are paths, or lists of them. */
const pathFields: ReadonlySet<string> = new Set(["path", "cwd", "log_file", "source", "files"])

/** Paths below the home as a dialect writes it, and as the sandbox has it. */
export interface HomePaths {
  toSandbox(path: unknown): unknown
  /** The same for a text that names paths, such as a command. */
  inCommand(text: unknown): unknown
  /** An answer with the dialect's home in its paths and in its messages. Output and contents stay as they are. */
  toDialect(envelope: Envelope): Envelope
}

const unchanged: HomePaths = {
  toSandbox: (path) => path,
  inCommand: (text) => text,
  toDialect: (envelope) => envelope,
}

/** `sandboxHome` is undefined where it is not the same in every sandbox: paths then start there, as relative ones do. */
export function createHomePaths(
  ownHome: string | undefined,
  sandboxHome: string | undefined,
): HomePaths {
  if (ownHome === undefined || ownHome === sandboxHome) return unchanged
  const toSandbox = (path: unknown) => {
    if (typeof path !== "string" || !isInside(ownHome, path)) return path
    return `${sandboxHome ?? "."}${path.slice(ownHome.length)}`
  }
  if (sandboxHome === undefined) return { ...unchanged, toSandbox }
  const inText = (text: string) => text.replaceAll(asPath(sandboxHome), ownHome)
  const inCommand = (text: unknown) =>
    typeof text === "string" ? text.replaceAll(asPath(ownHome), sandboxHome) : text
  const inPath = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inPath)
    if (typeof value !== "string" || !isInside(sandboxHome, value)) return inResult(value)
    return `${ownHome}${value.slice(sandboxHome.length)}`
  }
  const inResult = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inResult)
    if (!isObject(value)) return value
    const fields = Object.entries(value).map(([name, field]) => [
      name,
      pathFields.has(name) ? inPath(field) : inResult(field),
    ])
    return Object.fromEntries(fields)
  }
  return {
    toSandbox,
    inCommand,
    toDialect(envelope) {
      if (envelope.ok) {
        const { result, warnings } = envelope
        return {
          ...envelope,
          result: inResult(result),
          ...(warnings && { warnings: warnings.map(inText) }),
        }
      }
      const { message, expected } = envelope
      return {
        ...envelope,
        message: inText(message),
        ...(expected !== undefined && { expected: inText(expected) }),
      }
    },
  }
}

/** The directory itself, or what is in it, wherever a text names it. */
function asPath(directory: string): RegExp {
  return new RegExp(`(?<![\\w./-])${escapePattern(directory)}(?![\\w-]|\\.\\w)`, "g")
}

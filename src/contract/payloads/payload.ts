import { trimEndOf } from "../../kit/index.ts"
import { listingResult } from "../envelope/result-kinds.ts"
import { ToolFailure } from "../envelope/tool-failure.ts"
import type { CodeLanguage } from "../workspace/capabilities.ts"
import { requireObject, requireString } from "../workspace/require-argument.ts"
import type { ExecOptions, ExecResult, Workspace } from "../workspace/workspace.ts"

export type DispatchOptions = Pick<ExecOptions, "signal" | "onOutput">

/** Does what a payload says. */
export type Dispatch = <Kind extends PayloadKind>(
  payload: Payload<Kind>,
  options?: DispatchOptions,
) => Promise<PayloadResults[Kind]>

type PayloadKind = keyof PayloadFields

/** Something to do in a sandbox as plain data, which no model sees: it can be recorded, queued or sent. */
export type Payload<Kind extends PayloadKind = PayloadKind> = {
  [K in Kind]: { readonly kind: K } & PayloadFields[K]
}[Kind]

interface PayloadFields {
  readonly "command.run": CommandRun
  readonly "files.read": FilesRead
  readonly "files.write": FilesWrite
  readonly "files.list": OnePath
  readonly "files.exists": OnePath
  readonly "code.run": CodeRun
}

export interface PayloadResults {
  readonly "command.run": CommandResult
  readonly "files.read": FileContent
  readonly "files.write": { readonly bytes_written: number }
  readonly "files.list": ReturnType<typeof listingResult>
  readonly "files.exists": boolean
  readonly "code.run": CodeResult
}

interface OnePath {
  readonly path: string
}

interface CommandRun {
  /** A text is read by bash; a list is run as it is. */
  readonly cmd: string | readonly string[]
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly cwd?: string | undefined
  readonly stdin?: string | Uint8Array | undefined
  /** Seconds. A command that runs longer is ended, with exit code 124. */
  readonly timeout?: number | undefined
}

interface FilesRead extends OnePath {
  /** "utf-8" when absent. */
  readonly encoding?: "utf-8" | "base64" | undefined
}

interface FilesWrite extends OnePath {
  readonly data: string | Uint8Array
  /** Permission bits of a file that is made, such as 0o755. */
  readonly mode?: number | undefined
}

interface CodeRun {
  readonly code: string
  /** "python" when absent. */
  readonly language?: CodeLanguage | undefined
  /** Seconds. */
  readonly timeout?: number | undefined
}

interface CommandResult {
  readonly exit_code: number
  readonly stdout: string
  readonly stderr: string
  readonly elapsed_ms: number
}

interface FileContent {
  readonly kind: "file"
  readonly path: string
  readonly data: string
}

interface CodeResult {
  /** The value of the program, where its language has one. */
  readonly text: string | null
  readonly stdout: string
  readonly stderr: string
  /** Why it failed, in one line; null when it did not. */
  readonly error: string | null
}

/** Payloads for a workspace. */
export function createDispatch(workspace: Workspace): Dispatch {
  return async (payload, options = {}) => {
    options.signal?.throwIfAborted()
    const answers: {
      readonly [Kind in PayloadKind]: (payload: Payload<Kind>) => Promise<PayloadResults[Kind]>
    } = answersOf(workspace, options)
    requireFields(payload)
    return answers[payload.kind](payload)
  }
}

/** What each kind can't do without. Payloads may come from a queue or a file, where no compiler has looked at them. */
const requiredFields: Readonly<Record<PayloadKind, readonly string[]>> = {
  "command.run": ["cmd"],
  "files.read": ["path"],
  "files.write": ["path", "data"],
  "files.list": ["path"],
  "files.exists": ["path"],
  "code.run": ["code"],
}

function requireFields(payload: unknown): void {
  const kinds = Object.keys(requiredFields).join(", ")
  const given = requireObject(payload, `a payload: ${kinds}`)
  const kind = requireString(given, "kind", `one of ${kinds}`)
  if (!Object.hasOwn(requiredFields, kind)) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `There is no payload of the kind ${JSON.stringify(kind)}.`,
      field: "kind",
      expected: `one of ${kinds}`,
    })
  }
  const missing = requiredFields[kind as PayloadKind].find((field) => given[field] === undefined)
  if (missing === undefined) return
  throw new ToolFailure({
    kind: "invalid_args",
    message: `The payload ${kind} needs ${missing}.`,
    field: missing,
  })
}

function answersOf(workspace: Workspace, options: DispatchOptions) {
  return {
    "command.run": async ({ cmd, env, cwd, stdin, timeout }: CommandRun) => {
      const running = { env, cwd, stdin, timeoutMs: milliseconds(timeout), ...options }
      return commandResult(await workspace.exec(cmd, running))
    },
    "files.read": async ({ path, encoding = "utf-8" }: FilesRead) => {
      const bytes = await workspace.readFileBuffer(path, options)
      const data = encoding === "base64" ? base64Of(bytes) : new TextDecoder().decode(bytes)
      return { kind: "file" as const, path, data }
    },
    "files.write": async ({ path, data, mode }: FilesWrite) => {
      const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data
      await workspace.writeFile(path, bytes, { mode, ...options })
      return { bytes_written: bytes.length }
    },
    "files.list": async ({ path }: OnePath) => {
      const entries = await workspace.readdir(path, options)
      const base = trimEndOf(path, "/")
      const listed = entries.map(({ name, type }) => ({ name, path: `${base}/${name}`, type }))
      return listingResult(path, listed, { entryCount: listed.length, truncated: false })
    },
    "files.exists": ({ path }: OnePath) => workspace.exists(path, options),
    "code.run": async ({ code, language = "python", timeout }: CodeRun) => {
      const running = { timeoutMs: milliseconds(timeout), ...options }
      const ended = await workspace.runCode(language, code, running)
      const { stdout, stderr } = commandResult(ended)
      return { text: null, stdout, stderr, error: errorOf(ended) }
    },
  }
}

function base64Of(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : Math.max(1, Math.round(seconds * 1_000))
}

function commandResult({ exitCode, stdout, stderr, durationMs }: ExecResult): CommandResult {
  return { exit_code: exitCode, stdout, stderr, elapsed_ms: Math.round(durationMs) }
}

function errorOf({ exitCode, stderr }: ExecResult): string | null {
  if (exitCode === 0) return null
  const lines = stderr.split("\n").filter((line) => line.trim() !== "")
  return lines.at(-1) ?? `It ended with exit code ${exitCode}.`
}

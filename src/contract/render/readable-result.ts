import { isObject } from "../schema/json.ts"

type Fields = Readonly<Record<string, unknown>>

/** A result as a text that people and models read: what is said, with what it says about itself. */
export function readableResult(result: unknown, indent = 0): string {
  if (typeof result === "string") return result
  if (!isObject(result)) return JSON.stringify(result) ?? ""
  const { kind } = result
  const write = typeof kind === "string" && Object.hasOwn(writers, kind) ? writers[kind] : undefined
  if (write) return joined(write(result))
  return typeof result.text === "string" ? result.text : JSON.stringify(result, null, indent)
}

type Lines = readonly (string | null)[]

/** One for each kind that reads better than as JSON. */
const writers: Readonly<Record<string, (result: Fields) => Lines>> = {
  command: (result) => [
    text(result.stdout),
    text(result.stderr),
    result.exit_code === 0 ? null : `[exit code ${result.exit_code}]`,
    result.killed_by === undefined ? null : `[ended by the ${result.killed_by}]`,
  ],
  code: (result) => [
    text(result.stdout),
    text(result.stderr),
    result.exit_code === 0 ? null : `[exit code ${result.exit_code}]`,
  ],
  file: (result) => [
    text(result.text) ?? `${result.path}: ${result.bytes} bytes as base64\n${result.base64}`,
    result.truncated === true ? `[cut: ${result.size} bytes in all]` : null,
  ],
  listing: (result) => [
    ...list(result.entries).map((entry) => `${entry.path}${entry.type === "directory" ? "/" : ""}`),
    `${result.entry_count} entries in ${result.path}${result.truncated === true ? ", and more" : ""}`,
  ],
  search: (result) => [
    ...texts(result.files),
    ...list(result.matches).flatMap(describeMatch),
    ...list(result.results).map(describeHit),
    result.truncated === true ? "[there are more]" : null,
  ],
  write: ({ path, bytes_written: bytes }) => [`Wrote ${bytes} bytes to ${path}.`],
  edit: ({ path, diff, replacements }) => [text(diff) ?? `${path}: ${replacements} replacements.`],
  patch: (result) => list(result.files).map((file) => `${file.change}: ${file.path}`),
  move: ({ from, to }) => [`Moved ${from} to ${to}.`],
  remove: ({ path }) => [`Removed ${path}.`],
  process: describeProcess,
  processes: (result) => list(result.processes).flatMap(describeProcess),
  output: (result) => [text(result.text), `[${result.state}; next_offset ${result.next_offset}]`],
  page: (result) => [
    [result.status, result.title, result.final_url ?? result.url]
      .filter((part) => part !== undefined && part !== null && part !== "")
      .join(" · "),
    text(result.text) ?? text(result.tree),
    result.truncated === true ? "[cut]" : null,
  ],
  image: (result) => [
    text(result.description),
    text(result.text),
    `${result.width} × ${result.height}`,
    describeArtifact(result.artifact),
  ],
  mcp: (result) => [
    ...list(result.content).map(
      (part) => text(part.text) ?? describeArtifact(part.artifact) ?? text(part.uri),
    ),
    result.content === undefined || list(result.content).length === 0
      ? JSON.stringify(result.structured ?? null)
      : null,
  ],
  artifact: ({ artifact }) => [describeArtifact(artifact)],
  media: ({ artifact }) => [describeArtifact(artifact)],
  chart: ({ artifact }) => [describeArtifact(artifact)],
  transcript: (result) => [text(result.text)],
  memory: (result) => [
    text(result.text) ??
      (result.deleted === undefined
        ? `Remembered in ${result.namespace} as ${result.id}.`
        : `Forgot ${result.deleted} of ${result.namespace}.`),
  ],
  namespaces: (result) =>
    list(result.namespaces).map((one) => `${one.namespace}: ${one.entries} entries`),
  sandbox: ({ sandbox, image, created, destroyed }) => [
    destroyed === true
      ? `Destroyed ${sandbox}.`
      : `${sandbox} (${image}) ${created === false ? "is there already" : "is made"}.`,
  ],
  snapshot: ({ snapshot, sandbox }) => [`${snapshot} holds the files of ${sandbox}.`],
  sandboxes: (result) =>
    list(result.sandboxes).map((one) => `${one.name}: ${one.image}, ${one.status}`),
  transfer: ({ bytes }) => [`Copied ${bytes} bytes.`],
  preview: ({ url }) => [text(url)],
  value: ({ value }) => [typeof value === "string" ? value : JSON.stringify(value, null, 2)],
  tabs: (result) => list(result.tabs).map((tab) => `${tab.index}: ${tab.title} ${tab.url}`),
}

function describeProcess(process: Fields): Lines {
  const code = process.exit_code === undefined ? "" : ` with exit code ${process.exit_code}`
  const log = process.log_file === undefined ? "" : `; its output is in ${process.log_file}`
  return [`Process ${process.pid} (${process.command ?? ""}): ${process.state}${code}${log}`]
}

/** As grep writes it: ":" for the line that matches, "-" for those around it. */
function describeMatch(match: Fields): readonly string[] {
  const line = Number(match.line)
  const before = texts(match.before)
  const around = (lines: readonly string[], first: number) =>
    lines.map((one, index) => `${match.path}-${first + index}- ${one}`)
  return [
    ...around(before, line - before.length),
    `${match.path}:${line}: ${match.text}`,
    ...around(texts(match.after), line + 1),
  ]
}

function describeHit(hit: Fields): string {
  const head = hit.title === undefined ? `${hit.namespace}` : `${hit.title} ${hit.url}`
  return `${head}\n  ${hit.snippet ?? hit.content ?? ""}`
}

function describeArtifact(artifact: unknown): string | null {
  if (!isObject(artifact)) return null
  return `${artifact.filename} (${artifact.mime_type}, ${artifact.size} bytes): ${artifact.path}`
}

function text(value: unknown): string | null {
  return typeof value === "string" ? value : null
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : []
}

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function joined(lines: Lines): string {
  return lines
    .filter((line): line is string => line !== null && line !== "")
    .map((line) => line.replace(/\n$/, ""))
    .join("\n")
}

import { posix } from "node:path"
import { httpLimits } from "../limits.ts"
import type { FileDescription } from "../sandbox-api/describe-files.ts"
import { readPart, readParts } from "../sandbox-api/multipart.ts"
import { readJson, readJsonValue } from "../server/read-arguments.ts"
import { timeOf } from "./lifecycle.ts"
import {
  aCount,
  apiName,
  aText,
  badRequest,
  empty,
  type Handler,
  isRecord,
  json,
  optional,
  queryCount,
  queryPaths,
  required,
} from "./request.ts"

type Body = Readonly<Record<string, unknown>>

export const getFileInfo: Handler = async ({ id, query, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  const found: Record<string, unknown> = {}
  for (const path of queryPaths(query)) {
    found[path] = describe(await api.files.describe(usable, { path, signal }))
  }
  return json(found)
}

export const deleteFiles: Handler = async ({ id, query, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  for (const path of queryPaths(query)) {
    await api.files.remove(usable, { path, recursive: false, signal })
  }
  return empty()
}

export const deleteDirectories: Handler = async ({ id, query, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  for (const path of queryPaths(query)) {
    await api.files.remove(usable, { path, recursive: true, signal })
  }
  return empty()
}

export const makeDirectories: Handler = async ({ id, raw, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  for (const [path, permission] of entriesOf(await readJson(raw))) {
    const { mode, owner } = readPermission(permission)
    await api.files.makeDirectory(usable, { path, mode, signal })
    if (owner !== undefined) await api.files.setPermissions(usable, { path, owner, signal })
  }
  return empty()
}

export const setPermissions: Handler = async ({ id, raw, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  for (const [path, permission] of entriesOf(await readJson(raw))) {
    await api.files.setPermissions(usable, { path, ...readPermission(permission), signal })
  }
  return empty()
}

export const moveFiles: Handler = async ({ id, raw, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  const moves = await readJsonValue(raw)
  if (!Array.isArray(moves)) throw badRequest("The body has to be a list.")
  for (const move of moves as readonly unknown[]) {
    if (!isRecord(move)) throw badRequest("Each entry has to have src and dest.")
    const [from, to] = [required(move, "src", aText), required(move, "dest", aText)]
    await api.files.move(usable, { from, to, signal })
  }
  return empty()
}

export const replaceContents: Handler = async ({ id, raw, query, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  const counts: Record<string, { readonly replacedCount: number }> = {}
  for (const [path, change] of entriesOf(await readJson(raw))) {
    const [from, to] = [required(change, "old", aText), required(change, "new", aText)]
    if (from === "") throw badRequest("old is empty.", "old")
    const replacedCount = await api.files.replace(usable, { path, from, to, signal })
    counts[path] = { replacedCount }
  }
  return query.get("verbose") === "true" ? json(counts) : empty()
}

export const searchFiles: Handler = async ({ id, query, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  const [path = ""] = queryPaths(query)
  const pattern = query.get("pattern") || "**"
  return json((await api.files.search(usable, { path, pattern, signal })).map(describe))
}

export const listDirectory: Handler = async ({ id, query, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  const [path = ""] = queryPaths(query)
  const depth = Math.max(1, queryCount(query, "depth") ?? 1)
  return json((await api.files.list(usable, { path, depth, signal })).map(describe))
}

/** Each file comes after a part that says where it belongs. */
export const uploadFiles: Handler = async ({ id, raw, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  if (!raw.body) throw badRequest("The body is empty.")
  let metadata: Body | null = null
  let count = 0
  for await (const part of readParts(raw.headers.get("content-type") ?? "", raw.body)) {
    if (part.name === "metadata") {
      metadata = parseMetadata(await readPart(part, httpLimits.apiMetadataBytes))
      continue
    }
    if (part.name !== "file") throw badRequest("Parts are named metadata and file.")
    if (!metadata) throw badRequest("The metadata of a file has to come before it.", "metadata")
    const path = required(metadata, "path", aText)
    const { mode, owner } = readPermission(metadata)
    await api.files.write(usable, { path, mode, body: part.body, signal })
    if (owner !== undefined) await api.files.setPermissions(usable, { path, owner, signal })
    metadata = null
    count += 1
  }
  if (count === 0) throw badRequest("The body has no file.", "file")
  return empty()
}

function parseMetadata(text: string): Body {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // As for any other text that is not an object.
  }
  throw badRequest("The metadata of a file has to be a JSON object.", "metadata")
}

/** A range of bytes, or with offset and limit of lines, which are counted from 1. */
export const downloadFile: Handler = async ({ id, raw, query, signal }, api) => {
  const usable = await api.sandboxes.use(apiName, id)
  const [path = ""] = queryPaths(query)
  const [offset, limit] = [queryCount(query, "offset"), queryCount(query, "limit")]
  const range = raw.headers.get("range")
  if (offset !== undefined || limit !== undefined) {
    if (range !== null) throw badRequest("A range of bytes can't have lines too.", "range")
    const { body } = await api.files.read(usable, { path, signal })
    const text = takeLines(body, { from: offset || 1, count: limit })
    return new Response(text, { headers: { ...fileHeaders, "Content-Type": "text/plain" } })
  }
  const wanted = range === null ? {} : readRange(range)
  const file = await api.files.read(usable, { path, ...wanted, signal })
  const last = file.offset + file.bytes - 1
  const isPart = range !== null
  if (isPart && file.bytes === 0 && file.size > 0) {
    await file.body.cancel()
    return new Response(null, {
      status: 416,
      headers: { "Content-Range": `bytes */${file.size}` },
    })
  }
  return new Response(file.body, {
    status: isPart ? 206 : 200,
    headers: {
      ...fileHeaders,
      "Content-Type": "application/octet-stream",
      "Content-Length": String(file.bytes),
      "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(posix.basename(path))}`,
      ...(isPart && { "Content-Range": `bytes ${file.offset}-${last}/${file.size}` }),
    },
  })
}

/** Never shown on the server's own origin: a page from a sandbox could act for its reader there. */
const fileHeaders = {
  "Content-Security-Policy": "sandbox; default-src 'none'",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "no-store",
}

function readRange(range: string): { readonly offset: number; readonly length?: number } {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? []
  if (from === "" && to === "") {
    throw badRequest('Only one range such as "bytes=0-1023" is understood.', "range")
  }
  if (from === "") return { offset: -Number(to) }
  if (to === "") return { offset: Number(from) }
  return { offset: Number(from), length: Math.max(0, Number(to) - Number(from) + 1) }
}

interface Lines {
  /** The first one, from 1. */
  readonly from: number
  readonly count: number | undefined
}

/** Some lines of a file, each with its end. What comes after them is not read. */
function takeLines(
  body: ReadableStream<Uint8Array>,
  { from, count = Number.POSITIVE_INFINITY }: Lines,
): ReadableStream<Uint8Array> {
  let line = 1
  const isWanted = () => line >= from && line < from + count
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        let start = 0
        while (start < piece.length && line < from + count) {
          const end = piece.indexOf(10, start)
          const next = end < 0 ? piece.length : end + 1
          if (isWanted()) controller.enqueue(piece.subarray(start, next))
          start = next
          if (end >= 0) line += 1
        }
        if (line >= from + count) controller.terminate()
      },
    }),
  )
}

function entriesOf(body: Body): readonly (readonly [string, Body])[] {
  return Object.entries(body).map(([path, value]) => {
    if (!isRecord(value)) throw badRequest(`What is said of ${path} has to be an object.`)
    return [path, value]
  })
}

/** Modes are octal numbers that are written as decimal ones: 755 is rwxr-xr-x. */
function readPermission(body: Body) {
  const written = optional(body, "mode", aCount)
  if (written !== undefined && !/^[0-7]{1,4}$/.test(String(written))) {
    throw badRequest("mode has to be octal digits, such as 755.", "mode")
  }
  const [owner = "", group = ""] = [optional(body, "owner", aText), optional(body, "group", aText)]
  const names = group === "" ? owner : `${owner}:${group}`
  if (!/^[\w.$-]*(:[\w.$-]+)?$/.test(names)) {
    throw badRequest("owner and group have to be names.", "owner")
  }
  return {
    mode: written === undefined ? undefined : Number.parseInt(String(written), 8),
    owner: names === "" ? undefined : names,
  }
}

function describe({ path, type, size, owner, group, ...file }: FileDescription) {
  return {
    ...{ path, type, size, owner, group, mode: Number(file.mode.toString(8)) },
    modified_at: timeOf(file.modifiedMs),
    created_at: timeOf(file.createdMs),
  }
}

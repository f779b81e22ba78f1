import { checkLife } from "../sandbox-api/api-sandboxes.ts"
import { callTool } from "../sandbox-api/call-beside.ts"
import type { StoredSandbox } from "../sandbox-api/stored-sandboxes.ts"
import { readJson } from "../server/read-arguments.ts"
import { readCreateRequest, readMetadata } from "./create-request.ts"
import {
  apiName,
  aText,
  badRequest,
  empty,
  type Handler,
  json,
  notImplemented,
  type OpenSandboxRequest,
  queryCount,
  required,
} from "./request.ts"

/** The ports that OpenSandbox's own servers have inside a sandbox; here they are parts of this server. */
const ownPorts: Readonly<Record<string, string>> = { 44772: "execd", 18080: "egress" }

export const createSandbox: Handler = async ({ raw, signal }, api) => {
  const { sandbox, snapshot, program } = readCreateRequest(await readJson(raw))
  if (snapshot !== undefined) throw notImplemented("A sandbox from a snapshot")
  const created = await api.sandboxes.create(sandbox)
  try {
    if (program) {
      const usable = await api.sandboxes.use(apiName, created.id)
      await api.commands.start(usable, { command: program })
    }
    signal.throwIfAborted()
  } catch (error) {
    // Nobody would know that it is there.
    await api.sandboxes.remove(apiName, created.id)
    throw error
  }
  const { image: _, ...described } = describe(created)
  return json(described, 202)
}

export const listSandboxes: Handler = async ({ query, token }, api) => {
  const all = await api.sandboxes.list(apiName)
  const own = all.filter(({ id }) => token.session === null || token.session === id)
  const states = query.getAll("state")
  const metadata = [...new URLSearchParams(query.get("metadata") ?? "")]
  const found = own.filter((sandbox) => {
    const isWanted = states.length === 0 || states.includes(stateOf(sandbox))
    return isWanted && metadata.every(([key, value]) => sandbox.metadata[key] === value)
  })
  const page = Math.max(1, queryCount(query, "page") ?? 1)
  const pageSize = Math.min(200, Math.max(1, queryCount(query, "pageSize") ?? 20))
  const totalItems = found.length
  const totalPages = Math.ceil(totalItems / pageSize)
  return json({
    items: found.slice((page - 1) * pageSize, page * pageSize).map(describe),
    pagination: { page, pageSize, totalItems, totalPages, hasNextPage: page < totalPages },
  })
}

export const getSandbox: Handler = async ({ id }, { sandboxes }) =>
  json(describe(await sandboxes.find(apiName, id)))

export const deleteSandbox: Handler = async ({ id }, { sandboxes }) => {
  await sandboxes.remove(apiName, id)
  return empty(204)
}

export const pauseSandbox: Handler = async ({ id }, { sandboxes }) => {
  await sandboxes.pause(apiName, id)
  return empty(202)
}

export const resumeSandbox: Handler = async ({ id }, { sandboxes }) => {
  await sandboxes.resume(apiName, id)
  return empty(202)
}

/** JSON Merge Patch: null takes an entry away. */
export const patchMetadata: Handler = async ({ id, raw }, { sandboxes }) => {
  const patch = await readJson(raw)
  const changed = await sandboxes.change(apiName, id, ({ metadata }) => {
    const left = Object.entries({ ...metadata, ...patch }).filter(([, value]) => value !== null)
    if (left.some(([, value]) => typeof value !== "string")) {
      throw badRequest("The values of metadata have to be texts, or null.", "metadata")
    }
    return { metadata: readMetadata(Object.fromEntries(left) as Record<string, string>) }
  })
  return json(describe(changed))
}

export const renewSandbox: Handler = async ({ id, raw }, { sandboxes, clock }) => {
  const text = required(await readJson(raw), "expiresAt", aText)
  const expiresMs = Date.parse(text)
  if (Number.isNaN(expiresMs)) {
    throw badRequest('expiresAt has to be a time such as "2026-01-31T12:00:00Z".', "expiresAt")
  }
  if (expiresMs <= clock.now()) throw badRequest("expiresAt has to be in the future.", "expiresAt")
  checkLife(expiresMs - clock.now())
  await sandboxes.change(apiName, id, () => ({ expiresMs }))
  return json({ expiresAt: timeOf(expiresMs) })
}

/** The address of a server inside. OpenSandbox's own are found below the address that the client asked. */
export const getEndpoint: Handler = async ({ id, path, query, raw, signal }, api) => {
  if (query.has("expires")) throw notImplemented("An address with a signature")
  const usable = await api.sandboxes.use(apiName, id)
  const port = path("port")
  const own = ownPorts[port]
  if (own) {
    const host = raw.headers.get("host") ?? ""
    return json({ endpoint: `${host}/v1/sandboxes/${id}/${own}` })
  }
  const input = { port: Number(port), wait_ms: 0 }
  const result = await callTool(api.beside, {
    ...{ session: usable.session, tool: "sandbox.browse", input, signal },
  })
  return json({ endpoint: new URL((result as { readonly url: string }).url).host })
}

/** What clients tell of their own times: taken and thrown away. */
export const takeMetrics: Handler = async ({ raw }: OpenSandboxRequest) => {
  await readJson(raw)
  return empty(202)
}

function stateOf({ isPaused }: StoredSandbox): "Paused" | "Running" {
  return isPaused ? "Paused" : "Running"
}

function describe(sandbox: StoredSandbox) {
  const { id, image, metadata, createdMs, expiresMs, details } = sandbox
  return {
    id,
    ...(image !== null && { image: { uri: image } }),
    ...details,
    status: { state: stateOf(sandbox) },
    metadata,
    createdAt: timeOf(createdMs),
    ...(expiresMs !== null && { expiresAt: timeOf(expiresMs) }),
  }
}

export function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}

import type { HttpBindings } from "@hono/node-server"
import type { Context } from "hono"
import { pathArguments, type Route } from "../../api/index.ts"
import { ToolFailure } from "../../contract/index.ts"
import { httpLimits } from "../limits.ts"
import type { RequestContext } from "./handler.ts"

interface Given {
  readonly arguments: Readonly<Record<string, unknown>>
  readonly upload: RequestContext["upload"]
}

/** The arguments of a request: those of the path, and the query or the JSON body. None is given twice. */
export async function readArguments(
  { req }: Context<{ Bindings: HttpBindings }>,
  route: Route,
): Promise<Given> {
  const { raw: request } = req
  const inPath = Object.fromEntries(
    pathArguments(route.path).map((name) => [name, req.param(name) ?? ""]),
  )
  const hasBody = !route.upload && (route.method === "POST" || route.method === "PUT")
  const rest = hasBody ? await readJson(request) : readQuery(new URL(request.url))
  const twice = Object.keys(rest).find((name) => Object.hasOwn(inPath, name))
  if (twice !== undefined) throw refuse(`${twice} is in the path; do not give it again.`, twice)
  return {
    arguments: { ...rest, ...inPath },
    upload: route.upload ? readUpload(request) : null,
  }
}

/** The check reads texts as the numbers that a schema wants. */
function readQuery({ searchParams }: URL): Readonly<Record<string, unknown>> {
  const given: Record<string, unknown> = {}
  for (const [name, value] of searchParams) {
    if (Object.hasOwn(given, name)) throw refuse(`${name} is given twice.`, name)
    given[name] = value
  }
  return given
}

/** The JSON object of a body; empty for none. */
export async function readJson(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const value = await readJsonValue(request)
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw refuse("The body must be a JSON object.")
}

/** The JSON of a body; an empty object for none. */
export async function readJsonValue(request: Request): Promise<unknown> {
  const type = request.headers.get("content-type") ?? ""
  const text = await readText(request)
  if (text.trim() === "") return {}
  if (!/^application\/json\b/i.test(type)) throw refuse("The body must be application/json.")
  try {
    return JSON.parse(text)
  } catch {
    throw refuse("The body is not valid JSON.")
  }
}

async function readText(request: Request): Promise<string> {
  const length = Number(request.headers.get("content-length") ?? Number.NaN)
  // A request that says how long it is does not have to be counted, which took a third of a short one's time.
  if (length <= httpLimits.bodyBytes) return request.text()
  const { body } = request
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body ?? []) {
    size += part.length
    if (size > httpLimits.bodyBytes) {
      throw refuse(`The body is larger than ${httpLimits.bodyBytes / 1024 ** 2} MiB.`)
    }
    parts.push(part)
  }
  return Buffer.concat(parts).toString("utf8")
}

/** Its length is promised before, so that a file that breaks off is noticed. */
function readUpload({ headers, body }: Request): RequestContext["upload"] {
  const bytes = Number(headers.get("content-length") ?? Number.NaN)
  if (!Number.isSafeInteger(bytes) || bytes < 0) throw refuse("An upload needs a Content-Length.")
  if (bytes > httpLimits.uploadBytes) {
    throw refuse(`The file is larger than ${httpLimits.uploadBytes / 1024 ** 3} GiB.`)
  }
  return { bytes, body: body ?? new Blob([]).stream() }
}

function refuse(message: string, field?: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message,
    ...(field !== undefined && { field }),
  })
}

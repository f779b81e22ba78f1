import { posix } from "node:path"
import { pipeline, Readable } from "node:stream"
import { createGunzip } from "node:zlib"
import { resolvePath, ToolFailure } from "../../../contract/index.ts"
import { httpLimits } from "../../limits.ts"
import type { UsableSandbox } from "../../sandbox-api/api-sandboxes.ts"
import type { ApiFiles } from "../../sandbox-api/files.ts"
import { type Part, readParts } from "../../sandbox-api/multipart.ts"
import { NotServed } from "../rest/refuse.ts"
import { homePath } from "./home-path.ts"

export interface FileRequest {
  readonly sandbox: UsableSandbox
  readonly request: Request
  readonly signal: AbortSignal
}

/** GET /files: the bytes of a file. */
export async function download(
  files: ApiFiles,
  { sandbox, request, signal }: FileRequest,
): Promise<Response> {
  const path = new URL(request.url).searchParams.get("path")
  if (!path) throw refuse("The query must have a path.")
  const { body, bytes } = await files.read(sandbox, { path: homePath(path), signal })
  return new Response(body, {
    headers: {
      "Content-Type": "application/octet-stream",
      "Content-Length": String(bytes),
      // Never shown on the server's own origin.
      "Content-Disposition": `attachment; filename*=UTF-8''${encodeURIComponent(posix.basename(path))}`,
      "Content-Security-Policy": "sandbox; default-src 'none'",
      "X-Content-Type-Options": "nosniff",
      "Cache-Control": "no-store",
    },
  })
}

/** POST /files: one file as it is, or several as a form. */
export async function upload(
  files: ApiFiles,
  { sandbox, request, signal }: FileRequest,
): Promise<Response> {
  const { headers } = request
  if ([...headers.keys()].some((name) => name.startsWith("x-metadata-"))) {
    throw new NotServed("Files have no metadata here.")
  }
  const path = new URL(request.url).searchParams.get("path") || null
  const { cwd } = await sandbox.session.workspace()
  const written: unknown[] = []
  const type = headers.get("content-type") ?? ""
  for await (const { filename, body } of partsOf(request, type)) {
    if (written.length >= httpLimits.e2bFiles) {
      throw refuse(`A form has at most ${httpLimits.e2bFiles} files.`)
    }
    const name = path ?? filename
    if (!name) throw refuse("A file has neither a path in the query nor a name.")
    await files.write(sandbox, { path: homePath(name), body, signal })
    const absolute = resolvePath(cwd, homePath(name))
    written.push({ name: posix.basename(absolute), type: "file", path: absolute })
  }
  return Response.json(written, { headers: { "Cache-Control": "no-store" } })
}

function partsOf(
  request: Request,
  type: string,
): AsyncIterable<Part> | readonly Omit<Part, "name">[] {
  const body = plainBody(request)
  if (/^multipart\/form-data\b/i.test(type)) return readParts(type, body)
  return [{ filename: null, body }]
}

/** The file as it was before it was packed. The writer of files limits how large it may become. */
function plainBody({ headers, body }: Request): AsyncIterable<Uint8Array> {
  const bytes = body ?? new Blob([]).stream()
  const encoding = headers.get("content-encoding") ?? "identity"
  if (encoding === "identity") return bytes
  if (encoding !== "gzip") throw refuse(`The encoding ${encoding} is not taken.`)
  return unpacked(bytes)
}

async function* unpacked(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // Errors of either side end the loop over what comes out.
  const out = pipeline(Readable.from(bytes), createGunzip(), () => {})
  try {
    yield* out as AsyncIterable<Uint8Array>
  } catch (error) {
    if (error instanceof Error && "code" in error && String(error.code).startsWith("Z_")) {
      throw refuse("The body is not valid gzip.")
    }
    throw error
  }
}

function refuse(message: string): ToolFailure {
  return new ToolFailure({ kind: "invalid_args", message })
}

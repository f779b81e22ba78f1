import { createReadStream } from "node:fs"
import { posix } from "node:path"
import { Readable } from "node:stream"
import { createTarPacker } from "modern-tar"
import type { SandboxRoute } from "../../api/index.ts"
import {
  type ProcessStatus,
  requirePath,
  ToolFailure,
  type Workspace,
} from "../../contract/index.ts"
import { mimeTypeOfName } from "../../node/index.ts"
import { httpLimits } from "../limits.ts"
import {
  type ApiDeps,
  type Handlers,
  knownSession,
  openSession,
  ownSession,
  type RequestContext,
} from "./handler.ts"

export function sandboxHandlers(deps: ApiDeps): Handlers<SandboxRoute> {
  const poolOf = (session: string) => ownSession(deps, session).sandboxes
  const workspaceOf = (session: string, sandbox: string) =>
    ownSession(deps, session).workspace(sandbox)

  return {
    async "sandboxes.list"({ session }) {
      const all = openSession(deps, session)?.sandboxes.list() ?? []
      return {
        sandboxes: all.map(({ name, image, status, network, createdMs, sleepAfterMs }) => ({
          ...{ sandbox: name, image, status, network: network.kind },
          ...{ created_ms: createdMs, sleep_after_ms: sleepAfterMs },
        })),
      }
    },
    async "sandboxes.create"({ session, sandbox, image, sleep_after_ms }) {
      return poolOf(session).create({ name: sandbox, image, sleepAfterMs: sleep_after_ms })
    },
    async "sandboxes.sleep"({ session, sandbox }) {
      await poolOf(session).sleep(sandbox)
      return { done: true }
    },
    async "sandboxes.wake"({ session, sandbox }) {
      await (await workspaceOf(session, sandbox)).exists(".")
      return { done: true }
    },
    "sandboxes.fork": ({ session, sandbox, to }) => poolOf(session).fork(sandbox, to),
    async "sandboxes.transfer"(input, { signal }) {
      const from = { sandbox: input.from_sandbox, path: input.from_path }
      const to = { sandbox: input.to_sandbox, path: input.to_path }
      const { recursive } = input
      const { bytes } = await poolOf(input.session).transfer(from, to, { recursive, signal })
      return { bytes }
    },
    async "sandboxes.destroy"({ session, sandbox }) {
      await poolOf(session).destroySandbox(sandbox)
      return { done: true }
    },
    async "files.list"({ session, sandbox, path }, { signal }) {
      const workspace = await workspaceOf(session, sandbox)
      const limit = httpLimits.directoryEntries + 1
      const found = await workspace.readdir(requirePath(path, workspace), { limit, signal })
      const entries = found.slice(0, httpLimits.directoryEntries)
      return { entries: [...entries], truncated: found.length > entries.length }
    },
    async "files.read"({ session, sandbox, path, offset = 0, limit }, { signal }) {
      const workspace = await workspaceOf(session, sandbox)
      const file = requirePath(path, workspace)
      const { type, size } = await workspace.stat(file, { signal })
      if (type !== "file") throw notAFile(path)
      const bytes = Math.max(0, Math.min(size - offset, limit ?? size))
      return {
        filename: posix.basename(file),
        mediaType: mimeTypeOfName(file) ?? "application/octet-stream",
        bytes,
        body: readPieces(workspace, { file, offset, bytes, signal }),
      }
    },
    async "files.write"({ session, sandbox, path }, { upload, signal }) {
      if (!upload) throw new Error("The route takes an upload.")
      const workspace = await workspaceOf(session, sandbox)
      await importFile(workspace, requirePath(path, workspace), { ...upload, signal })
      return { bytes: upload.bytes }
    },
    async "processes.list"({ session, sandbox }) {
      const { processes } = await workspaceOf(session, sandbox)
      return { processes: (await processes.list()).map(describeProcess) }
    },
    async "processes.kill"({ session, sandbox, process }) {
      const { processes } = await workspaceOf(session, sandbox)
      return describeProcess(await processes.kill(process))
    },
    async "terminals.create"({ session, sandbox, columns, rows, command, cwd }, { token }) {
      const workspace = await workspaceOf(session, sandbox)
      requireTerminals(workspace)
      deps.terminals.require()
      const place = { token: token?.id ?? "", session, sandbox }
      return { ticket: deps.tickets.create({ ...place, columns, rows, command, cwd }) }
    },
    async "artifacts.list"({ session }) {
      const all = await (await knownSession(deps, session)).artifacts.list()
      return {
        artifacts: all.map(({ id, filename, mimeType, size }) => {
          return { artifact: id, filename, media_type: mimeType, bytes: size }
        }),
      }
    },
    async "artifacts.read"({ session, artifact }) {
      const found = await (await knownSession(deps, session)).artifacts.find(artifact)
      if (!found) {
        const message = `The session has no artifact ${JSON.stringify(artifact)}.`
        throw new ToolFailure({ kind: "not_found", message })
      }
      const { filename, mimeType: mediaType, size: bytes, path } = found
      const body = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>
      return { filename, mediaType, bytes, body }
    },
  }
}

function requireTerminals({ can }: Workspace): void {
  if (can.terminal) return
  const message = `The sandboxes of the ${can.host} host have no terminals.`
  throw new ToolFailure({ kind: "unavailable", message, retryable: false })
}

function notAFile(path: string): ToolFailure {
  const message = `${JSON.stringify(path)} is not a file.`
  return new ToolFailure({ kind: "invalid_args", message, field: "path" })
}

interface Part {
  readonly file: string
  readonly offset: number
  readonly bytes: number
  readonly signal: AbortSignal
}

/** One piece after the other, each when the reader wants it. */
function readPieces(
  workspace: Workspace,
  { file, offset, bytes, signal }: Part,
): ReadableStream<Uint8Array> {
  let at = offset
  const end = offset + bytes
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at >= end) return controller.close()
        const length = Math.min(httpLimits.fileBytes, end - at)
        const piece = await workspace.readFileBuffer(file, { offset: at, length, signal })
        // It has become shorter: the client notices by the length that it was promised.
        if (piece.length === 0) return controller.close()
        at += piece.length
        controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
}

/** As a tar of one file, which is all there or not at all. */
async function importFile(
  workspace: Workspace,
  path: string,
  { body, bytes, signal }: NonNullable<RequestContext["upload"]> & { readonly signal: AbortSignal },
): Promise<void> {
  const { readable, controller } = createTarPacker()
  const entry = controller.add({
    name: posix.basename(path),
    size: bytes,
    type: "file",
    mode: 0o644,
  })
  const packed = body.pipeTo(entry, { signal }).then(() => controller.finalize())
  // Whichever fails first says why; the other one's stream breaks with it.
  const fail = (error: unknown) => {
    controller.error(error)
    throw error
  }
  await Promise.all([
    packed.catch(fail),
    workspace.importTree(path, readable, { as: "file", signal }),
  ])
}

function describeProcess({ id, pid, command, cwd, startedMs, state }: ProcessStatus) {
  return {
    ...{ process: id, pid, command: typeof command === "string" ? command : [...command], cwd },
    ...{ started_ms: startedMs, state: state.kind },
    exit_code: state.kind === "exited" ? state.exitCode : null,
  }
}

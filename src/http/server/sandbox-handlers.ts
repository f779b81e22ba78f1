import { posix } from "node:path"
import { createTarPacker } from "modern-tar"
import type { SandboxRoute } from "../../api/index.ts"
import {
  type ProcessStatus,
  requirePath,
  ToolFailure,
  type Unknown,
  type Workspace,
} from "../../contract/index.ts"
import { mimeTypeOfName } from "../../node/index.ts"
import { noSuchSession } from "../../session/index.ts"
import { withoutPipefail } from "../../tools/index.ts"
import { fileBody } from "../artifacts/file-body.ts"
import { httpLimits } from "../limits.ts"
import { readProcessOutput } from "../sandboxes/process-output.ts"
import { readPieces } from "../sandboxes/read-pieces.ts"
import { readHistory, readNetworkLog, unwatched } from "../sandboxes/sandbox-history.ts"
import {
  type ApiDeps,
  type Handlers,
  knownSession,
  openSession,
  type RequestContext,
} from "./handler.ts"

export function sandboxHandlers(deps: ApiDeps): Handlers<SandboxRoute> {
  const poolOf = (session: string) => deps.sessions.open(session).sandboxes
  /** Reading opens no session. */
  const openPool = (session: string) => {
    const open = openSession(deps, session)
    if (open) return open.sandboxes
    const message = `The session ${JSON.stringify(session)} is not open, and uses nothing.`
    throw new ToolFailure({ kind: "not_found", message })
  }
  const readerOf = async (session: string) => {
    const reader = await deps.store.read(session)
    if (reader) return reader
    throw await noSuchSession(deps.store, session)
  }
  const artifactOf = async (session: string, artifact: string) => {
    const found = await (await knownSession(deps, session)).artifacts.find(artifact)
    if (found) return found
    const message = `The session has no artifact ${JSON.stringify(artifact)}.`
    throw new ToolFailure({ kind: "not_found", message })
  }
  const workspaceOf = (session: string, sandbox: string) =>
    deps.sessions.open(session).workspace(sandbox)

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
    async "sandboxes.usage"({ session, sandbox }) {
      const { limits, ...usage } = await openPool(session).usage(sandbox)
      return {
        at_ms: deps.clock.now(),
        cpu: measureOf(usage.cpuMs, limits.processors),
        memory: measureOf(usage.memoryBytes, limits.memoryBytes),
        disk: measureOf(usage.diskBytes, limits.diskBytes),
        processes: measureOf(usage.processes, limits.processes),
      }
    },
    async "sandboxes.history"({ session, ...asked }) {
      return readHistory(await readerOf(session), asked)
    },
    async "sandboxes.network"({ session, ...asked }) {
      const all = openSession(deps, session)?.sandboxes.list() ?? []
      const known = all.find(({ name }) => name === asked.sandbox)
      const log = await readNetworkLog(await readerOf(session), asked)
      return { ...log, unknown: known ? unwatched(known.network.kind) : null }
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
        body: readPieces(workspace, { file, offset, bytes, signal }).body,
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
    async "processes.output"({ session, sandbox, ...asked }, { signal }) {
      const workspace = await workspaceOf(session, sandbox)
      // Looked at before the output is: what an ended process has written is all there is.
      const { state } = await workspace.processes.status(asked.process)
      return { ...(await readProcessOutput(workspace, { ...asked, signal })), state: state.kind }
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
    async "artifacts.show"({ session, artifact }, { host }) {
      const found = await artifactOf(session, artifact)
      const url = deps.artifactPages.address(session, found, host)
      if (url !== null) return { url }
      const message = "Only HTML and SVG can be shown. Download it instead."
      throw new ToolFailure({ kind: "invalid_args", message, field: "artifact" })
    },
    async "artifacts.read"({ session, artifact }) {
      const found = await artifactOf(session, artifact)
      const { filename, mimeType: mediaType, size: bytes, path } = found
      return { filename, mediaType, bytes, body: fileBody(path) }
    },
  }
}

function measureOf(used: number | Unknown, limit: number | null) {
  if (typeof used === "number") return { used, limit }
  return { used: null, limit, unknown: used.unknown }
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
  // What breaks off on its way ends the import with the same reason; a full sandbox has its own, and says so.
  packed.catch((error: unknown) => controller.error(error))
  const imported = workspace.importTree(path, readable, { as: "file", signal })
  await Promise.allSettled([packed, imported])
  await imported
  await packed
}

function describeProcess({ id, pid, command, cwd, startedMs, state }: ProcessStatus) {
  return {
    ...{ process: id, pid, cwd },
    command: typeof command === "string" ? withoutPipefail(command) : [...command],
    ...{ started_ms: startedMs, state: state.kind },
    exit_code: state.kind === "exited" ? state.exitCode : null,
  }
}

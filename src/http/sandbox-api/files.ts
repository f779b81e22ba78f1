import { requirePath, ToolFailure } from "../../contract/index.ts"
import { quoteArguments } from "../../kit/index.ts"
import { WorkspaceError } from "../../sandbox/index.ts"
import { httpLimits } from "../limits.ts"
import { readPieces } from "../sandboxes/read-pieces.ts"
import type { UsableSandbox } from "./api-sandboxes.ts"
import { type BesideDeps, callBeside, callTool } from "./call-beside.ts"
import { describeFiles, type FileDescription } from "./describe-files.ts"
import { notAFile, replaceBytes, type WritePlace } from "./replace-bytes.ts"

/** A file on its way to a client. Its call ends when the stream does. */
export interface OpenedFile {
  /** Of the whole file. */
  readonly size: number
  readonly offset: number
  /** Of this part of it. */
  readonly bytes: number
  readonly body: ReadableStream<Uint8Array>
}

export interface ReadRequest {
  readonly path: string
  /** From the start when absent; from the end when negative. */
  readonly offset?: number | undefined
  readonly length?: number | undefined
  readonly signal: AbortSignal
}

export interface WriteRequest {
  readonly path: string
  readonly body: AsyncIterable<Uint8Array>
  /** Permission bits; those of a new file when absent. */
  readonly mode?: number | undefined
  readonly signal: AbortSignal
}

interface PathRequest {
  readonly path: string
  readonly signal: AbortSignal
}

/** The files of sandboxes of another API: each operation is a call of a file tool, and its bytes go beside it. */
export interface ApiFiles {
  read(sandbox: UsableSandbox, request: ReadRequest): Promise<OpenedFile>
  /** All of it or nothing: readers see the old file or the new one. */
  write(sandbox: UsableSandbox, request: WriteRequest): Promise<{ readonly bytes: number }>
  describe(sandbox: UsableSandbox, request: PathRequest): Promise<FileDescription>
  /** What is in a directory, and below it down to a depth. */
  list(
    sandbox: UsableSandbox,
    request: PathRequest & { readonly depth: number },
  ): Promise<readonly FileDescription[]>
  /** Files whose names match a pattern. */
  search(
    sandbox: UsableSandbox,
    request: PathRequest & { readonly pattern: string },
  ): Promise<readonly FileDescription[]>
  /** How often the text was there. */
  replace(
    sandbox: UsableSandbox,
    request: PathRequest & { readonly from: string; readonly to: string },
  ): Promise<number>
  move(
    sandbox: UsableSandbox,
    request: { readonly from: string; readonly to: string; readonly signal: AbortSignal },
  ): Promise<void>
  remove(
    sandbox: UsableSandbox,
    request: PathRequest & { readonly recursive: boolean },
  ): Promise<void>
  makeDirectory(
    sandbox: UsableSandbox,
    request: PathRequest & { readonly mode?: number | undefined },
  ): Promise<{ readonly created: boolean }>
  setPermissions(
    sandbox: UsableSandbox,
    request: PathRequest & {
      readonly mode?: number | undefined
      /** As chown takes it: "user", "user:group" or ":group". */
      readonly owner?: string | undefined
    },
  ): Promise<void>
}

export function createFiles(deps: BesideDeps): ApiFiles {
  return {
    async read({ session }, { path, offset = 0, length, signal }) {
      const call = callBeside<OpenedFile>(deps, {
        ...{ session, tool: "file.read", input: { path }, signal },
        async work(input, { context, open }) {
          const workspace = await context.workspace()
          const file = requirePath((input as PathRequest).path, workspace)
          const { type, size } = await workspace.stat(file, context)
          if (type !== "file") throw notAFile(type, file)
          const start = offset < 0 ? Math.max(0, size + offset) : Math.min(size, offset)
          const bytes = Math.max(0, Math.min(size - start, length ?? size))
          const part = { file, offset: start, bytes, signal: context.signal }
          const { body, sent } = readPieces(workspace, part)
          open({ size, offset: start, bytes, body })
          return { kind: "download", path: file, size, offset: start, bytes: await sent }
        },
      })
      return call.opened
    },
    async write(sandbox, { body, mode, ...about }) {
      const what = "the bytes of an upload"
      const result = await writeBeside(deps, sandbox, { ...about, what }, async (place) => {
        const bytes = await replaceBytes(place, { body, mode })
        return { kind: "write", path: place.path, bytes_written: bytes, size: bytes }
      })
      return { bytes: (result as { readonly bytes_written: number }).bytes_written }
    },
    async describe({ session }, { path, signal }) {
      const call = callBeside<FileDescription>(deps, {
        ...{ session, tool: "file.info", input: { path }, signal },
        async work(input, { context, open }) {
          const workspace = await context.workspace()
          const file = requirePath((input as PathRequest).path, workspace)
          const [found] = await describeFiles(workspace, { paths: [file], signal: context.signal })
          if (!found) throw new WorkspaceError("not-found", file)
          open(found)
          return { kind: "info", path: file, type: found.type, size: found.size }
        },
      })
      return finished(call)
    },
    async list({ session }, { path, depth, signal }) {
      const call = callBeside<readonly FileDescription[]>(deps, {
        ...{ session, tool: "file.list", input: { path, recursive: depth > 1 }, signal },
        async work(input, { context, open }) {
          const workspace = await context.workspace()
          const file = requirePath((input as PathRequest).path, workspace)
          const { type } = await workspace.stat(file, context)
          if (type !== "directory") throw new WorkspaceError("not-directory", file)
          const below = { paths: [file], depth, signal: context.signal }
          const found = await describeFiles(workspace, below)
          open(found)
          return { kind: "listing", path: file, entry_count: found.length }
        },
      })
      return finished(call)
    },
    async search({ session }, { path, pattern, signal }) {
      const limit = httpLimits.apiSearchFiles
      const input = { path, pattern, include_hidden: true, include_ignored: true, limit }
      const call = callBeside<readonly FileDescription[]>(deps, {
        ...{ session, tool: "file.glob", signal, input },
        async work(given, { context, tool, open }) {
          const found = (await tool.run(given, context)) as { readonly files: readonly string[] }
          const workspace = await context.workspace()
          const paths = found.files.map((file) => requirePath(file, workspace))
          open(await describeFiles(workspace, { paths, signal: context.signal }))
          return found
        },
      })
      return finished(call)
    },
    async replace({ session }, { path, from, to, signal }) {
      const edits = [{ search: from, replace: to, all: true }]
      const result = await callBeside<never>(deps, {
        ...{ session, tool: "file.edit", input: { path, edits }, signal },
        async work(input, { context, tool }) {
          const workspace = await context.workspace()
          const given = input as PathRequest & { readonly edits: typeof edits }
          const text = await workspace.readFile(requirePath(given.path, workspace), context)
          // The tool fails then, and this API answers with a number.
          if (given.edits.every(({ search }) => !text.includes(search))) {
            return { kind: "edit", path: given.path, replacements: 0 }
          }
          return tool.run(input, context)
        },
      }).ended
      return (result as { readonly replacements: number }).replacements
    },
    async move({ session }, { from, to, signal }) {
      const input = { from, to, overwrite: true }
      await callTool(deps, { session, tool: "file.move", input, signal })
    },
    async remove({ session }, { path, recursive, signal }) {
      await callTool(deps, { session, tool: "file.remove", input: { path, recursive }, signal })
    },
    async makeDirectory(sandbox, { mode, ...about }) {
      let created = true
      const made = { ...about, what: "a directory" }
      await writeBeside(deps, sandbox, made, async ({ workspace, path, signal }) => {
        created = !(await workspace.exists(path, { signal }))
        await workspace.mkdir(path, { mode, signal })
        return { kind: "directory", path }
      })
      return { created }
    },
    async setPermissions(sandbox, { mode, owner, ...about }) {
      const octal = mode === undefined ? "" : ` ${mode.toString(8)}`
      const what = `permissions${octal}${owner ? `, owner ${owner}` : ""}`
      await writeBeside(deps, sandbox, { ...about, what }, async (place) => {
        const { workspace, path, signal } = place
        await workspace.stat(path, { signal })
        if (owner !== undefined) await change(place, ["chown", "--", owner, path])
        if (mode !== undefined) await change(place, ["chmod", "--", mode.toString(8), path])
        return { kind: "permissions", path }
      })
    },
  }
}

/**
 * A call of file.write for what a text can't hold: its content says what that is. A person who is asked may write a text
 * there, which is written instead.
 */
async function writeBeside(
  deps: BesideDeps,
  { session }: UsableSandbox,
  { path, what, signal }: PathRequest & { readonly what: string },
  work: (place: WritePlace) => Promise<object>,
): Promise<unknown> {
  const content = `[beside this call: ${what}]`
  return callBeside<never>(deps, {
    ...{ session, tool: "file.write", input: { path, content }, signal },
    async work(input, { context, tool }) {
      const given = input as PathRequest & { readonly content: string }
      if (given.content !== content) return tool.run(input, context)
      const workspace = await context.workspace()
      const file = requirePath(given.path, workspace)
      return work({ workspace, path: file, signal: context.signal })
    },
  }).ended
}

/** Nobody is told about a call that is not recorded yet. */
async function finished<Opened>(call: {
  readonly opened: Promise<Opened>
  readonly ended: Promise<unknown>
}): Promise<Opened> {
  await call.ended
  return call.opened
}

async function change({ workspace, signal }: WritePlace, command: readonly string[]) {
  const { exitCode, stderr } = await workspace.exec(quoteArguments(command), { signal })
  if (exitCode === 0) return
  const message = `${command[0]} failed: ${stderr.trim()}`
  throw new ToolFailure({ kind: "execution_error", message, retryable: false })
}

import { type CallContext, requirePath, ToolFailure } from "../../../contract/index.ts"
import { quoteArguments } from "../../../kit/index.ts"
import { WorkspaceError } from "../../../sandbox/index.ts"
import { httpLimits } from "../../limits.ts"
import type { UsableSandbox } from "../../sandbox-api/api-sandboxes.ts"
import { type BesideDeps, callBeside } from "../../sandbox-api/call-beside.ts"
import { describeFiles } from "../../sandbox-api/describe-files.ts"
import { isUnfinished } from "../../sandbox-api/replace-bytes.ts"
import {
  compareListings,
  type ListedEntry,
  type Listing,
  type WatchEvent,
} from "./compare-listings.ts"
import { type EntryInfo, entryInfo } from "./entry-info.ts"

export interface WatchRequest {
  readonly path: string
  readonly recursive: boolean
  /** Whether events say what is there now. */
  readonly includeEntry: boolean
}

export interface FilesystemEvent extends WatchEvent {
  readonly entry?: EntryInfo
}

export interface WatchDeps {
  readonly beside: BesideDeps
  readonly sandbox: UsableSandbox
  /** Ends the watch. */
  readonly signal: AbortSignal
  /** Nothing more is looked at until a promise that it returns is kept. */
  readonly onEvents: (events: readonly FilesystemEvent[]) => void | Promise<void>
}

export interface Watch {
  /** Resolves when the watch is over; rejects where something ended it. */
  readonly ended: Promise<unknown>
}

/**
 * Watches a directory as one call of file.list, which goes on for as long as the watch. A command in the sandbox looks
 * several times a second and says what it sees when that has changed: nothing in an image can be asked to tell by itself.
 */
export async function watchDirectory(deps: WatchDeps, request: WatchRequest): Promise<Watch> {
  const { beside, sandbox, signal, onEvents } = deps
  const waiting = new AbortController()
  const giveUp = () => waiting.abort(signal.reason)
  signal.addEventListener("abort", giveUp)
  if (signal.aborted) giveUp()
  const call = callBeside<true>(beside, {
    ...{ session: sandbox.session, tool: "file.list", signal: waiting.signal },
    input: { path: request.path, recursive: request.recursive },
    async work(given, { context, open }) {
      const { path } = given as { readonly path: string }
      await look(
        context,
        { ...request, path },
        { stop: signal, onEvents, opened: () => open(true) },
      )
      return { kind: "watch", path }
    },
  })
  await call.opened.finally(() => signal.removeEventListener("abort", giveUp))
  return { ended: call.ended }
}

interface Looking {
  readonly stop: AbortSignal
  readonly opened: () => void
  readonly onEvents: WatchDeps["onEvents"]
}

async function look(
  context: CallContext,
  { path, recursive, includeEntry }: WatchRequest,
  { stop, opened, onEvents }: Looking,
): Promise<void> {
  const workspace = await context.workspace()
  const directory = requirePath(path, workspace)
  const { type } = await workspace.stat(directory, context)
  if (type !== "directory") throw new WorkspaceError("not-directory", directory)
  const signal = AbortSignal.any([context.signal, stop])
  let before: Listing | null = null
  async function see(line: string): Promise<void> {
    const now = parseListing(line)
    const events = before ? compareListings(before, now) : []
    if (before === null) opened()
    before = now
    if (events.length > 0) await onEvents(includeEntry ? await described(events) : events)
  }
  async function described(events: readonly WatchEvent[]): Promise<readonly FilesystemEvent[]> {
    const paths = [...new Set(events.map(({ name }) => `${directory}/${name}`))]
    const files = await describeFiles(workspace, { paths, signal })
    const entries = await Promise.all(files.map((file) => entryInfo(workspace, file, signal)))
    const byPath = new Map(entries.map((entry) => [entry.path, entry]))
    return events.map((event) => {
      const entry = byPath.get(`${directory}/${event.name}`)
      return entry ? { ...event, entry } : event
    })
  }
  const lines = takeLines(see)
  const { exitCode, stderr } = await workspace.exec(script(directory, recursive), {
    ...{ signal, rejectOnAbort: false, maxOutputBytes: 1024, graceMs: 0 },
    onOutput: ({ stream, bytes }) => (stream === "stdout" ? lines(bytes) : undefined),
  })
  context.signal.throwIfAborted()
  if (stop.aborted) return
  const message = `The watch has ended (${exitCode}): ${stderr.trim() || "its sandbox needs GNU's find and base64"}.`
  throw new ToolFailure({ kind: "unavailable", message, retryable: false })
}

/** One line for each listing that differs from the one before, so that a quiet directory costs no bytes. */
function script(directory: string, recursive: boolean): string {
  const depth = recursive ? "" : "-maxdepth 1"
  return [
    `cd -- ${quoteArguments([directory])} || exit 1`,
    "find . -maxdepth 0 -printf '' | base64 -w0 || exit 1",
    "before=none",
    "while :; do",
    `now=$(find . -mindepth 1 ${depth} -printf '%i\\t%y\\t%m\\t%s\\t%T@\\t%P\\0' 2>/dev/null | base64 -w0)`,
    'if [[ $now != "$before" ]]; then printf "%s\\n" "$now"; before=$now; fi',
    `sleep ${httpLimits.e2bWatchMs / 1000}`,
    "done",
  ].join("\n")
}

function parseListing(line: string): Listing {
  const entries = Buffer.from(line, "base64").toString("utf8").split("\0").slice(0, -1)
  const listed = entries.map((text): ListedEntry => {
    const [inode = "", type, mode = "", size = "", modified = "", ...rest] = text.split("\t")
    return { name: rest.join("\t"), inode, isDirectory: type === "d", mode, size, modified }
  })
  return new Map(listed.filter(({ name }) => !isUnfinished(name)).map((one) => [one.name, one]))
}

/** Hands on each line as it is whole; one that is too long ends the watch. */
function takeLines(see: (line: string) => Promise<void>) {
  let parts: string[] = []
  let length = 0
  return async (bytes: Uint8Array): Promise<void> => {
    const [first = "", ...others] = Buffer.from(bytes).toString("latin1").split("\n")
    parts.push(first)
    length += first.length
    for (const next of others) {
      await see(parts.join(""))
      parts = [next]
      length = next.length
    }
    if (length > httpLimits.apiListingBytes) {
      const message = "The directory has too many files to be watched. Watch a part of it."
      throw new ToolFailure({ kind: "invalid_args", message })
    }
  }
}

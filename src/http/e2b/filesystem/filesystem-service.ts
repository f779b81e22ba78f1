import { ToolFailure } from "../../../contract/index.ts"
import type { Clock } from "../../../kit/index.ts"
import type { BesideDeps } from "../../sandbox-api/call-beside.ts"
import type { ApiFiles } from "../../sandbox-api/files.ts"
import type { SandboxApi } from "../../sandbox-api/sandbox-api.ts"
import { createBroadcast } from "../broadcast.ts"
import { ConnectError } from "../connect/connect-error.ts"
import { type Method, serverStream, unary } from "../connect/method.ts"
import { type EnvdContext, lateSignal } from "../envd-context.ts"
import { homePath } from "../files/home-path.ts"
import { entryInfo } from "./entry-info.ts"
import { filesystemRequests as requests } from "./filesystem-messages.ts"
import { type FilesystemEvent, watchDirectory } from "./watch-directory.ts"
import { createWatchers } from "./watchers.ts"

export interface FilesystemServiceDeps {
  readonly beside: BesideDeps
  readonly files: ApiFiles
  readonly clock: Clock
  readonly stopped: AbortSignal
  readonly onGone: SandboxApi["onGone"]
}

/** filesystem.Filesystem, the part of a sandbox's API that looks at files and changes them. */
export function filesystemService({
  beside,
  files,
  clock,
  stopped,
  onGone,
}: FilesystemServiceDeps): Readonly<Record<string, Method<EnvdContext>>> {
  const watchers = createWatchers(stopped)
  onGone(watchers.forget)
  async function entryAt(path: string, { sandbox, signal }: EnvdContext) {
    const file = await files.describe(sandbox, { path, signal })
    return entryInfo(await sandbox.session.workspace(), file, signal)
  }

  return {
    "filesystem.Filesystem/Stat": unary(requests.stat, async ({ path }, context: EnvdContext) => ({
      entry: await entryAt(homePath(path), context),
    })),
    "filesystem.Filesystem/MakeDir": unary(
      requests.makeDir,
      async ({ path: given }, context: EnvdContext) => {
        const path = homePath(given)
        const { sandbox, signal } = context
        const { created } = await files.makeDirectory(sandbox, { path, signal })
        if (!created) throw new ConnectError("already_exists", `${path} is there already.`)
        return { entry: await entryAt(path, context) }
      },
    ),
    "filesystem.Filesystem/Move": unary(
      requests.move,
      async ({ source, destination }, context: EnvdContext) => {
        const to = homePath(destination)
        const { sandbox, signal } = context
        await files.move(sandbox, { from: homePath(source), to, signal })
        return { entry: await entryAt(to, context) }
      },
    ),
    "filesystem.Filesystem/ListDir": unary(
      requests.listDir,
      async ({ path, depth = 1 }, { sandbox, signal }: EnvdContext) => {
        const wanted = { path: homePath(path), depth: Math.max(1, depth), signal }
        const found = await files.list(sandbox, wanted)
        const workspace = await sandbox.session.workspace()
        return {
          entries: await Promise.all(found.map((file) => entryInfo(workspace, file, signal))),
        }
      },
    ),
    "filesystem.Filesystem/Remove": unary(
      requests.remove,
      async ({ path }, { sandbox, signal }: EnvdContext) => {
        await files
          .remove(sandbox, { path: homePath(path), recursive: true, signal })
          .catch((error: unknown) => {
            // What is not there is removed.
            if (!(error instanceof ToolFailure) || error.kind !== "not_found") throw error
          })
        return {}
      },
    ),
    "filesystem.Filesystem/WatchDir": serverStream(
      requests.watchDir,
      async function* watch({ path, ...request }, context: EnvdContext) {
        const late = lateSignal(context, clock)
        const ending = new AbortController()
        const signal = AbortSignal.any([late.signal, ending.signal])
        const events = createBroadcast<FilesystemEvent>()
        const heard = events.listen(signal)
        try {
          const onEvents = async (seen: readonly FilesystemEvent[]) => {
            for (const event of seen) await events.send(event, JSON.stringify(event).length)
          }
          const watched = { beside, sandbox: context.sandbox, signal, onEvents }
          const { ended } = await watchDirectory(watched, { ...request, path: homePath(path) })
          ended.catch(() => {}).finally(() => events.end())
          yield { start: {} }
          for await (const filesystem of heard) yield { filesystem }
          late.throwIfLate()
          await ended
        } finally {
          late.cancel()
          ending.abort()
        }
      },
    ),
    "filesystem.Filesystem/CreateWatcher": unary(
      requests.createWatcher,
      async ({ path, ...request }, { sandbox }: EnvdContext) => {
        const wanted = { ...request, path: homePath(path) }
        return { watcherId: await watchers.create({ beside, sandbox }, wanted) }
      },
    ),
    "filesystem.Filesystem/GetWatcherEvents": unary(
      requests.getWatcherEvents,
      async ({ watcherId }, { sandbox }: EnvdContext) => {
        return { events: watchers.take(sandbox.stored.id, watcherId) }
      },
    ),
    "filesystem.Filesystem/RemoveWatcher": unary(
      requests.removeWatcher,
      async ({ watcherId }, { sandbox }: EnvdContext) => {
        watchers.remove(sandbox.stored.id, watcherId)
        return {}
      },
    ),
  }
}

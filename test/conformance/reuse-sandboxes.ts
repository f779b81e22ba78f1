import { createWorkspace, type Host, type Sandbox } from "../../src/sandbox/index.ts"
import { plain, replaceSandboxes } from "./broken/broken-host.ts"

/** The topics whose checks leave only files behind, if anything, and need no sandbox that nobody has used. */
const leaveOnlyFiles: readonly string[] = [
  ...["exit-codes", "output", "output-limits", "live-output", "commands", "working-directory"],
  ...["environment", "stdin", "code", "file-content", "file-ranges", "file-writes", "file-stat"],
  ...["file-failures", "file-names", "links", "listing", "directories", "trees", "transfer"],
  ...["timeouts", "idle-timeouts", "abort", "process-groups", "fresh-commands", "concurrency"],
  ...["background", "terminal", "ports"],
]

/** Checks of those topics that are about how a sandbox begins or ends. */
const needTheirOwn: readonly string[] = [
  ...["environment.host-hidden", "process-groups.destroy", "background.destroy"],
]

/** Whether a check measures the same in a sandbox that was used before and is empty again. */
export function canReuse(id: string): boolean {
  return leaveOnlyFiles.includes(id.split(".")[0] ?? id) && !needTheirOwn.includes(id)
}

/** Removes all files, and shows how the sandbox is then: as one that nobody has used, or not. */
const empty = `chmod -R u+rwx ~ /tmp 2>/dev/null; find ~ /tmp -mindepth 1 -delete
chmod 755 ~; ls -A ~ /tmp; stat -c '%a %U' ~ /tmp; echo /proc/[0-9]* | wc -w`

interface UsedSandbox {
  readonly sandbox: Sandbox
  readonly whenNew: string
}

/**
 * A host whose sandboxes are emptied and used again instead of being destroyed: a container costs more than most
 * checks. One that can't be made as new is destroyed.
 */
export function reuseSandboxes(host: Host): Host & AsyncDisposable {
  const idle: UsedSandbox[] = []
  const lookAt = async (sandbox: Sandbox) => (await createWorkspace(sandbox).exec(empty)).stdout
  const make = async (name: string): Promise<UsedSandbox> => {
    const sandbox = await host.create({ name })
    return { sandbox, whenNew: await lookAt(sandbox) }
  }
  return {
    ...replaceSandboxes(host, (sandbox) => sandbox),
    async create(spec) {
      if (Object.keys(spec).some((key) => key !== "name")) return host.create(spec)
      const used = idle.pop() ?? (await make(spec.name))
      const { sandbox, whenNew } = used
      const end = async () => {
        const isAsNew = (await lookAt(sandbox).catch(String)) === whenNew
        if (isAsNew) idle.push(used)
        else await sandbox.destroy()
      }
      let ended: Promise<void> | undefined
      return {
        ...plain(sandbox),
        destroy() {
          ended ??= end()
          return ended
        },
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(idle.map(({ sandbox }) => sandbox.destroy()))
    },
  }
}

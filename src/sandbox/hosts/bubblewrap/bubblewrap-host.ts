import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Capabilities } from "../../../contract/index.ts"
import { type Clock, createId, systemClock } from "../../../kit/index.ts"
import type { Host } from "../../host.ts"
import { createBubblewrapSandbox } from "./bubblewrap-sandbox.ts"
import { createControlGroup, findControllers, type ResourceLimits } from "./control-groups.ts"
import { seccompFilter } from "./seccomp-filter.ts"

export interface BubblewrapHostOptions {
  /** Where sandboxes keep their files; readable by everyone on the way when Toolkeep runs as root. */
  readonly directory: string
  readonly clock?: Clock
}

export function bubblewrapHost({ directory, clock = systemClock }: BubblewrapHostOptions): Host {
  const resources: ResourceLimits = { memoryBytes: 2 ** 30, processes: 512, processors: 2 }
  const controllers = findControllers()
  const can: Capabilities = {
    host: "bubblewrap",
    isolation: "namespaces",
    liveOutput: true,
    argumentLists: true,
    fileModes: true,
    network: "none",
    durable: false,
    ripgrep: null,
    limits: {
      memoryBytes: controllers ? resources.memoryBytes : null,
      diskBytes: null,
      processes: controllers ? resources.processes : null,
    },
  }
  const etc = join(directory, "etc")
  const filterFile = join(directory, "seccomp.bpf")
  let prepared = false
  function prepare() {
    if (prepared) return
    mkdirSync(etc, { recursive: true, mode: 0o755 })
    writeFileSync(
      join(etc, "passwd"),
      "root:x:0:0:root:/nonexistent:/bin/false\nuser:x:1000:1000:user:/home/user:/bin/bash\n",
    )
    writeFileSync(join(etc, "group"), "root:x:0:\nuser:x:1000:\n")
    writeFileSync(join(etc, "hosts"), "127.0.0.1 localhost sandbox\n::1 localhost\n")
    writeFileSync(join(etc, "nsswitch.conf"), "passwd: files\ngroup: files\nhosts: files dns\n")
    writeFileSync(filterFile, seccompFilter(process.arch === "arm64" ? "arm64" : "x64"))
    prepared = true
  }
  return {
    name: "bubblewrap",
    summary: "Linux namespaces, seccomp and control groups.",
    can,
    probe: async () => ({ kind: "ready" }),
    create: async ({ name }) => {
      prepare()
      const id = createId("sandbox")
      const user = process.getuid?.() === 0 ? 2_000_000 + Math.floor(Math.random() * 2 ** 24) : null
      return createBubblewrapSandbox({
        name,
        can,
        clock,
        program: "bwrap",
        directory: join(directory, id),
        etc,
        filterFile,
        temporaryBytes: 256 * 2 ** 20,
        user,
        createGroup: () =>
          controllers ? createControlGroup(controllers, `toolkeep/${id}`, resources) : null,
      })
    },
  }
}

import type { SandboxWatch } from "../host/host.ts"
import { HomeWatch } from "./home-watch.ts"

const linuxOnly = { unknown: "directories can be watched on Linux only" }
const notConfined = "commands run as processes of this machine, which nobody tells from others"

/** Looks at a directory that commands work in without a sandbox around them. */
export function watchDirectory(directory: string): SandboxWatch {
  const files = new HomeWatch({
    shownAs: directory,
    directory: () => directory,
    leftOut: ".toolkeep",
  })
  return {
    async begin() {
      const span = process.platform === "linux" ? await files.begin() : null
      const startedMs = performance.now()
      return {
        end: async () => ({
          files: (await span?.end(performance.now() - startedMs)) ?? linuxOnly,
          processes: { unknown: notConfined },
          memory: { unknown: notConfined },
        }),
      }
    },
    close: () => files.close(),
  }
}

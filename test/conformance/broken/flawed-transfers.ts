import { alterSandboxes, type BrokenHost, runScript } from "./broken-host.ts"

/** Hosts whose trees arrive, but not where or not as they should. */
export const flawedTransfers: readonly BrokenHost[] = [
  {
    flaw: "puts a tree into the directory instead of making it the directory",
    caughtBy: ["transfer.tree", "transfer.other-host"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "tree.import": (operation, control, sandbox) =>
          sandbox.perform<"tree.import">(
            operation.as === "directory"
              ? { ...operation, path: `${operation.path}/tree` }
              : operation,
            control,
          ),
      })),
  },
  {
    flaw: "puts a file into the directory that has its name",
    caughtBy: ["transfer.file"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "tree.import"(operation, control, sandbox) {
          if (operation.as === "directory")
            return sandbox.perform<"tree.import">(operation, control)
          const { input: _, ...rest } = control
          const isDirectory = await runScript(sandbox, rest, ['test -d "$1"', operation.path])
          const path = isDirectory.exitCode === 0 ? `${operation.path}/one.txt` : operation.path
          return sandbox.perform<"tree.import">({ ...operation, path }, control)
        },
      })),
  },
]

import {
  type Host,
  type OperationControl,
  type Sandbox,
  WorkspaceError,
} from "../../../src/sandbox/index.ts"
import { alterSandboxes, type BrokenHost, type Handlers, runScript } from "./broken-host.ts"

/** Hosts that pack and unpack trees wrongly. */
export const flawedTrees: readonly BrokenHost[] = [
  afterImports("loses empty directories", ["trees.same"], 'find "$1" -type d -empty -delete'),
  afterImports("loses links", ["trees.same"], 'find "$1" -type l -delete'),
  afterImports(
    "loses permission bits",
    ["trees.same", "trees.one-file"],
    'chmod -R u=rwX,go=rX "$1"',
  ),
  flawed("changes one byte of a long archive", ["trees.big-file"], {
    async "tree.export"(operation, control, good) {
      const archive = await good.perform<"tree.export">(operation, control)
      return archive.pipeThrough(changeByte(10 * 1024 * 1024))
    },
  }),
  flawed("empties the directory that it unpacks into", ["trees.merge"], {
    async "tree.import"(operation, control, good) {
      const { input: _, ...rest } = control
      await runScript(good, rest, ['rm -rf "$1"', operation.path])
      return good.perform<"tree.import">(operation, control)
    },
  }),
  flawed("unpacks one file as a directory", ["trees.one-file", "trees.one-file-refused"], {
    "tree.import": (operation, control, good) =>
      good.perform<"tree.import">({ ...operation, as: "directory" }, control),
  }),
  flawed("says only in the stream that something is missing", ["trees.missing"], {
    "tree.export": (operation, control, good) =>
      good.perform<"tree.export">(operation, control).catch((error: unknown) => {
        return new ReadableStream({ start: (controller) => controller.error(error) })
      }),
  }),
  flawed("removes a file that is in the way of a tree", ["trees.import-over-file"], {
    async "tree.import"(operation, control, good) {
      const { input: _, ...rest } = control
      await runScript(good, rest, ['[ -d "$1" ] || rm -f "$1"', operation.path])
      return good.perform<"tree.import">(operation, control)
    },
  }),
  flawed("goes on packing what nobody reads any more", ["trees.cancelled-export"], {
    async "tree.export"(operation, control, good) {
      const reader = (await good.perform<"tree.export">(operation, control)).getReader()
      return new ReadableStream({
        async pull(controller) {
          const { done, value } = await reader.read()
          if (done) controller.close()
          else controller.enqueue(value)
        },
      })
    },
  }),
  flawed("says something else than why it was aborted", ["trees.aborted-import"], {
    "tree.import": (operation, control, good) =>
      good.perform<"tree.import">(operation, control).catch((error: unknown) => {
        throw control.signal.aborted ? new WorkspaceError("failed", operation.path) : error
      }),
  }),
  flawed(
    "trusts the names and links in an archive",
    ["dots", "absolute-names", "links-in-archive", "links-in-target", "hard-links"].map(
      (name) => `trees.${name}`,
    ),
    { "tree.import": trusting },
  ),
  flawed(
    "takes part of an archive for all of it",
    ["truncated", "broken-source", "not-an-archive", "one-file-refused"].map(
      (name) => `trees.${name}`,
    ),
    {
      "tree.import": (operation, control, good) =>
        good.perform<"tree.import">(operation, control).catch(() => null),
    },
  ),
]

function flawed(flaw: string, caughtBy: readonly string[], handlers: Handlers): BrokenHost {
  const breakHost = (good: Host) => alterSandboxes(good, () => handlers)
  return { flaw, caughtBy, base: "bubblewrap", breakHost }
}

/** A host that spoils what it has unpacked. */
function afterImports(flaw: string, caughtBy: readonly string[], script: string): BrokenHost {
  return flawed(flaw, caughtBy, {
    async "tree.import"(operation, control, good) {
      await good.perform<"tree.import">(operation, control)
      const { input: _, ...rest } = control
      await runScript(good, rest, [script, operation.path])
      return null
    },
  })
}

async function trusting(
  { path }: { readonly path: string },
  control: OperationControl,
  good: Sandbox,
): Promise<null> {
  const script = 'mkdir -p "$1"; tar -C "$1" -xPf - --overwrite --keep-directory-symlink'
  await runScript(good, control, [script, path])
  return null
}

function changeByte(at: number): TransformStream<Uint8Array, Uint8Array> {
  let offset = 0
  return new TransformStream({
    transform(chunk, controller) {
      const changed = chunk.slice()
      const index = at - offset
      if (index >= 0 && index < changed.length) changed[index] = (changed[index] ?? 0) ^ 1
      offset += changed.length
      controller.enqueue(changed)
    },
  })
}

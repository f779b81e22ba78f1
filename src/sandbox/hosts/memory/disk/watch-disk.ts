import { FileChanges, type FoundChange } from "../../../effects/file-changes.ts"
import { type FoundText, textFrom, tooLong } from "../../../effects/file-text.ts"
import type { SandboxWatch } from "../../../host/host.ts"
import { effectsLimits } from "../../../limits.ts"
import type { VirtualDisk, WalkedNode } from "./virtual-disk.ts"

interface DiskState {
  readonly version: number
  /** Null where there are too many. */
  readonly nodes: ReadonlyMap<string, WalkedNode> | null
}

/** Looks at a directory of a virtual disk, whose commands leave nothing running. */
export function watchDisk(disk: VirtualDisk, below: string): SandboxWatch {
  let last: DiskState | null = null
  const look = (): DiskState => {
    if (last?.version !== disk.version) last = { version: disk.version, nodes: walk(disk, below) }
    return last
  }
  return {
    async begin() {
      const before = look()
      return {
        end: async () => ({
          files: compare(before, look(), below),
          processes: { count: 0, first: [] },
          memory: { unknown: "commands run in the memory of this process" },
        }),
      }
    },
    close() {},
  }
}

function walk(disk: VirtualDisk, below: string): DiskState["nodes"] {
  const nodes = new Map<string, WalkedNode>()
  for (const node of disk.walk(below)) {
    if (nodes.size >= effectsLimits.entries) return null
    nodes.set(node.path, node)
  }
  return nodes
}

function compare(before: DiskState, after: DiskState, below: string) {
  const tooMany = { unknown: `there are more than ${effectsLimits.entries} files and directories` }
  if (!before.nodes || !after.nodes) return tooMany
  const changes = new FileChanges()
  const tell = (kind: FoundChange["kind"], { path, type, size }: WalkedNode, texts: Texts) =>
    changes.add({ kind, path: Buffer.from(path).toString("latin1"), type, bytes: size, ...texts })
  if (before !== after) {
    for (const node of before.nodes.values()) {
      if (!after.nodes.has(node.path)) tell("removed", node, { before: textOf(node) })
    }
    for (const node of after.nodes.values()) {
      const known = before.nodes.get(node.path)
      if (!known) tell("created", node, { after: textOf(node) })
      else if (node.type !== "directory" && isChanged(known, node)) {
        tell("changed", node, { before: textOf(known), after: textOf(node) })
      }
    }
  }
  return changes.summary(below, null)
}

type Texts = Pick<FoundChange, "before" | "after">

/** A write replaces a file's buffer, and an append leaves this part of it as it is: so what was there is still there. */
function textOf({ path, content, size, mode }: WalkedNode): FoundText {
  if (content === null || size > effectsLimits.fileBytes) return tooLong
  return textFrom(content.subarray(0, size), path, mode)
}

function isChanged(before: WalkedNode, after: WalkedNode): boolean {
  const fields = ["id", "size", "mode", "modifiedMs", "content"] as const
  return fields.some((field) => before[field] !== after[field])
}

import { readdir, readFile, stat } from "node:fs/promises"
import type { FileStat } from "../../../src/contract/index.ts"
import type { Host } from "../../../src/sandbox/index.ts"
import { WorkspaceError } from "../../../src/sandbox/index.ts"
import { asBytes, asText } from "./alter-commands.ts"
import { alterSandboxes, type BrokenHost, type Handlers } from "./broken-host.ts"

/** Hosts that read, stat or list wrongly. */
export const flawedReads: readonly BrokenHost[] = [
  {
    flaw: "ignores the offset of a range",
    caughtBy: ["file-ranges.middle", "file-ranges.bytes-not-characters"],
    breakHost: (good) => alterReads(good, { offset: 0 }),
  },
  {
    flaw: "ignores the length of a range",
    caughtBy: ["file-ranges.middle", "file-ranges.open", "file-ranges.nothing"],
    breakHost: (good) => alterReads(good, { length: null }),
  },
  {
    flaw: "fills a range past the end with zeros",
    caughtBy: ["file-ranges.past-end"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "file.read"(read, control, sandbox) {
          const bytes = await sandbox.perform<"file.read">(read, control)
          const whole = new Uint8Array(Math.min(read.length ?? bytes.length, 20_000))
          whole.set(bytes.subarray(0, whole.length))
          return whole
        },
      })),
  },
  {
    flaw: "counts characters in ranges",
    caughtBy: ["file-ranges.bytes-not-characters"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "file.read"(read, control, sandbox) {
          const whole = await sandbox.perform<"file.read">(
            { ...read, offset: 0, length: null },
            control,
          )
          const end = read.offset + (read.length ?? whole.length)
          return asBytes([...asText(whole)].slice(read.offset, end).join(""))
        },
      })),
  },
  {
    flaw: "reads the whole file for every range",
    caughtBy: ["file-ranges.big-file"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "file.read"(read, control, sandbox) {
          const whole = await sandbox.perform<"file.read">(
            { ...read, offset: 0, length: null },
            control,
          )
          const end = read.length === null ? whole.length : read.offset + read.length
          return whole.subarray(read.offset, end)
        },
      })),
  },
  {
    flaw: "takes files for text",
    caughtBy: ["file-content.bytes", "file-content.part-of-buffer"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "file.read": async (read, control, sandbox) =>
          asBytes(asText(await sandbox.perform<"file.read">(read, control))),
      })),
  },
  {
    flaw: "changes line ends",
    caughtBy: ["file-content.text"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "file.read": async (read, control, sandbox) => {
          const bytes = await sandbox.perform<"file.read">(read, control)
          return asBytes(asText(bytes).replaceAll("\r\n", "\n"))
        },
      })),
  },
  {
    flaw: "remembers files instead of reading them again",
    caughtBy: ["file-content.seen-by-commands", "file-stat.time"],
    breakHost: (good) => alterSandboxes(good, remembering),
  },
  {
    flaw: "knows only the files that were written through it",
    caughtBy: ["file-content.seen-by-workspace"],
    breakHost: (good) => alterSandboxes(good, knowingItsOwn),
  },
  {
    flaw: "has one error for everything",
    caughtBy: [
      ...["missing", "read-directory", "list-file", "below-file"].map(
        (name) => `file-failures.${name}`,
      ),
      "file-stat.exists",
      "links.dangling",
      "links.loop",
    ],
    breakHost: (good) => alterErrors(good, (path) => new WorkspaceError("failed", path)),
  },
  {
    flaw: "throws the system's own errors",
    caughtBy: ["file-failures.missing", "file-failures.messages", "sandbox-life.separate"],
    breakHost: (good) => alterErrors(good, () => new Error("ENOENT: no such file or directory")),
  },
  {
    flaw: "follows links out of the workspace when it reads",
    caughtBy: ["links.outside-read"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({ "file.read": async ({ path }) => readFile(path) })),
  },
  {
    flaw: "follows links out of the workspace for stat",
    caughtBy: ["links.outside-read"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "file.stat"({ path }) {
          const { size, mtimeMs, mode } = await stat(path)
          return { type: "file", size, modifiedMs: mtimeMs, mode }
        },
      })),
  },
  {
    flaw: "follows links out of the workspace when it lists",
    caughtBy: ["links.outside-list"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "file.list": async ({ path }) =>
          (await readdir(path)).map((name) => ({ name, type: "file" }) as const),
      })),
  },
  {
    flaw: "does not follow links at all",
    caughtBy: ["links.followed", "links.absolute"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "file.read": async ({ path }) => {
          throw new WorkspaceError("not-file", path)
        },
      })),
  },
  {
    flaw: "tells a size in characters",
    caughtBy: ["file-stat.file"],
    breakHost: (good) => alterStats(good, ({ size }) => ({ size: Math.round(size / 2) })),
  },
  {
    flaw: "tells a time in seconds",
    caughtBy: ["file-stat.time"],
    breakHost: (good) => alterStats(good, ({ modifiedMs }) => ({ modifiedMs: modifiedMs / 1_000 })),
  },
  {
    flaw: "takes everything for a file",
    caughtBy: ["file-stat.directory", "sandbox-life.home"],
    breakHost: (good) => alterStats(good, () => ({ type: "file" })),
  },
  {
    flaw: "has no permission bits",
    caughtBy: ["file-stat.mode", "file-writes.mode", "file-writes.mode-kept"],
    breakHost: (good) => alterStats(good, () => ({ mode: 0o644 })),
  },
]

function alterReads(good: Host, change: { offset?: number; length?: null }): Host {
  return alterSandboxes(good, () => ({
    "file.read": (read, control, sandbox) =>
      sandbox.perform<"file.read">({ ...read, ...change }, control),
  }))
}

function alterStats(good: Host, alter: (stat: FileStat) => Partial<FileStat>): Host {
  return alterSandboxes(good, () => ({
    async "file.stat"(operation, control, sandbox) {
      const found = await sandbox.perform<"file.stat">(operation, control)
      return { ...found, ...alter(found) }
    },
  }))
}

function alterErrors(good: Host, errorFor: (path: string) => Error): Host {
  const rethrow = (path: string) => () => {
    throw errorFor(path)
  }
  return alterSandboxes(good, () => ({
    "file.read": (read, control, sandbox) =>
      sandbox.perform<"file.read">(read, control).catch(rethrow(read.path)),
    "file.stat": (operation, control, sandbox) =>
      sandbox.perform<"file.stat">(operation, control).catch(rethrow(operation.path)),
    "file.list": (operation, control, sandbox) =>
      sandbox.perform<"file.list">(operation, control).catch(rethrow(operation.path)),
  }))
}

function knowingItsOwn(): Handlers {
  const written = new Set<string>()
  return {
    async "file.write"(write, control, sandbox) {
      written.add(write.path)
      return sandbox.perform<"file.write">(write, control)
    },
    async "file.read"(read, control, sandbox) {
      if (!written.has(read.path)) throw new WorkspaceError("not-found", read.path)
      return sandbox.perform<"file.read">(read, control)
    },
  }
}

function remembering(): Handlers {
  const known = new Map<string, FileStat>()
  return {
    async "file.stat"(operation, control, sandbox) {
      const stat =
        known.get(operation.path) ?? (await sandbox.perform<"file.stat">(operation, control))
      known.set(operation.path, stat)
      return stat
    },
    async "file.write"(operation, control, sandbox) {
      await sandbox.perform<"file.write">(operation, control)
      const { path } = operation
      known.set(path, await sandbox.perform<"file.stat">({ kind: "file.stat", path }, control))
      return null
    },
  }
}

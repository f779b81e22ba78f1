import { appendFile, chmod, mkdir, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import {
  type FileWrite,
  type Host,
  type Sandbox,
  WorkspaceError,
} from "../../../src/sandbox/index.ts"
import { asBytes, asText } from "./alter-commands.ts"
import { alterSandboxes, type BrokenHost } from "./broken-host.ts"

/** Hosts that write files wrongly. */
export const flawedWrites: readonly BrokenHost[] = [
  {
    flaw: "ignores append",
    caughtBy: ["file-writes.append", "concurrency.appends", "file-content.seen-by-commands"],
    breakHost: (good) => alterWrites(good, () => ({ append: false })),
  },
  {
    flaw: "appends to whatever is there",
    caughtBy: ["file-content.shorter"],
    breakHost: (good) => alterWrites(good, () => ({ append: true })),
  },
  {
    flaw: "appends by reading and writing",
    caughtBy: ["concurrency.appends"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "file.write"(write, control, sandbox) {
          const { path, data, append } = write
          if (!append) return sandbox.perform<"file.write">(write, control)
          const read = { kind: "file.read", path, offset: 0, length: null } as const
          const before = await sandbox
            .perform<"file.read">(read, control)
            .catch(() => new Uint8Array())
          const whole = { ...write, data: Buffer.concat([before, data]), append: false }
          return sandbox.perform<"file.write">(whole, control)
        },
      })),
  },
  {
    flaw: "makes no directories",
    caughtBy: ["file-writes.parents", "file-writes.append-creates"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "file.write"(write, control, sandbox) {
          const parent = { kind: "file.stat", path: dirname(write.path) } as const
          await sandbox.perform<"file.stat">(parent, control)
          return sandbox.perform<"file.write">(write, control)
        },
      })),
  },
  {
    flaw: "writes in two steps",
    caughtBy: ["file-writes.atomic", "abort.write"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "file.write"(write, control, sandbox) {
          const half = write.data.subarray(0, write.data.length / 2)
          await sandbox.perform<"file.write">({ ...write, data: half }, control)
          await pause(30)
          return sandbox.perform<"file.write">(write, control)
        },
      })),
  },
  {
    flaw: "mixes writes at the same time",
    caughtBy: ["concurrency.writes"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "file.write"(write, control, sandbox) {
          const middle = write.data.length / 2
          await sandbox.perform<"file.write">(
            { ...write, data: write.data.subarray(0, middle) },
            control,
          )
          const rest = { ...write, data: write.data.subarray(middle), append: true }
          return sandbox.perform<"file.write">(rest, control)
        },
      })),
  },
  {
    flaw: "leaves its temporary file behind",
    caughtBy: ["file-writes.nothing-left"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "file.write"(write, control, sandbox) {
          await sandbox.perform<"file.write">({ ...write, path: `${write.path}.tmp` }, control)
          return sandbox.perform<"file.write">(write, control)
        },
      })),
  },
  {
    flaw: "ignores the mode of a new file",
    caughtBy: ["file-writes.mode", "commands.script"],
    breakHost: (good) => alterWrites(good, () => ({ mode: null })),
  },
  {
    flaw: "resets the mode of a file that exists",
    caughtBy: ["file-writes.mode-kept"],
    breakHost: (good) => afterWrites(good, ({ path, mode }) => chmod(path, mode ?? 0o644)),
  },
  {
    flaw: "replaces a link by a file",
    caughtBy: ["file-writes.through-link"],
    breakHost: (good) =>
      beforeWrites(good, ({ path, append }) =>
        append ? Promise.resolve() : rm(path, { force: true }),
      ),
  },
  {
    flaw: "follows links out of the workspace when it writes",
    caughtBy: ["links.outside-write"],
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        async "file.write"({ path, data, append }) {
          await mkdir(dirname(path), { recursive: true })
          await (append ? appendFile(path, data) : writeFile(path, data))
          return null
        },
      })),
  },
  {
    flaw: "replaces a directory by a file",
    caughtBy: ["file-failures.write-directory"],
    breakHost: (good) =>
      beforeWrites(good, ({ path }) => rm(path, { force: true, recursive: true })),
  },
  {
    flaw: "takes written bytes for text",
    caughtBy: ["file-content.bytes", "output.binary"],
    breakHost: (good) => alterWrites(good, ({ data }) => ({ data: asBytes(asText(data)) })),
  },
  {
    flaw: "writes the whole buffer behind a view",
    caughtBy: ["file-content.part-of-buffer"],
    breakHost: (good) => alterWrites(good, ({ data }) => ({ data: new Uint8Array(data.buffer) })),
  },
  {
    flaw: "hangs at a named pipe",
    caughtBy: ["file-failures.special-file"],
    hangs: true,
    breakHost: (good) =>
      alterSandboxes(good, () => ({
        "file.read": (read, control, sandbox) =>
          sandbox.perform<"file.read">(read, control).catch((error: unknown) => {
            const hangs = error instanceof WorkspaceError && error.code === "not-file"
            return hangs ? new Promise<never>(() => {}) : Promise.reject(error)
          }),
      })),
  },
]

function alterWrites(good: Host, alter: (write: FileWrite) => Partial<FileWrite>): Host {
  return alterSandboxes(good, () => ({
    "file.write": (write, control, sandbox) =>
      sandbox.perform<"file.write">({ ...write, ...alter(write) }, control),
  }))
}

type Aside = (write: FileWrite, sandbox: Sandbox) => Promise<void>

function beforeWrites(good: Host, aside: Aside): Host {
  return alterSandboxes(good, () => ({
    async "file.write"(write, control, sandbox) {
      await aside(write, sandbox)
      return sandbox.perform<"file.write">(write, control)
    },
  }))
}

function afterWrites(good: Host, aside: Aside): Host {
  return alterSandboxes(good, () => ({
    async "file.write"(write, control, sandbox) {
      await sandbox.perform<"file.write">(write, control)
      await aside(write, sandbox)
      return null
    },
  }))
}

import { mkdir } from "node:fs/promises"
import { basename, dirname } from "node:path"
import {
  type Host,
  type Operation,
  type OperationControl,
  type Sandbox,
  WorkspaceError,
} from "../../../src/sandbox/index.ts"
import { alterSandboxes, type BrokenHost, type Handlers, runScript } from "./broken-host.ts"

/** Hosts that make, remove, move and copy files wrongly. */
export const flawedDirectories: readonly BrokenHost[] = [
  flawed("makes only the last directory of a path", ["directories.make"], () => ({
    async "file.mkdir"(operation, control, good) {
      await requireType(good, dirname(operation.path), control)
      return good.perform<"file.mkdir">(operation, control)
    },
  })),
  flawed("refuses to make what is there", ["directories.make-existing"], () => ({
    async "file.mkdir"(operation, control, good) {
      const type = await typeOf(good, operation.path, control)
      if (type) throw new WorkspaceError("failed", operation.path)
      return good.perform<"file.mkdir">(operation, control)
    },
  })),
  flawed(
    "removes a file that is in the way of a directory",
    ["directories.make-over-file"],
    () => ({
      async "file.mkdir"(operation, control, good) {
        await runScript(good, control, ['[ -d "$1" ] || rm -f "$1"', operation.path])
        return good.perform<"file.mkdir">(operation, control)
      },
    }),
  ),
  flawed("ignores the permission bits of a directory", ["directories.make-mode"], () => ({
    "file.mkdir": (operation, control, good) =>
      good.perform<"file.mkdir">({ ...operation, mode: null }, control),
  })),
  flawed("removes only files", ["directories.remove"], () => ({
    async "file.remove"(operation, control, good) {
      if ((await typeOf(good, operation.path, control)) === "directory") {
        throw new WorkspaceError("is-directory", operation.path)
      }
      return good.perform<"file.remove">(operation, control)
    },
  })),
  flawed("removes full directories unasked", ["directories.remove-full"], () => ({
    "file.remove": (operation, control, good) =>
      good.perform<"file.remove">({ ...operation, recursive: true }, control),
  })),
  flawed("removes nothing that is full", ["directories.remove-recursive"], () => ({
    "file.remove": (operation, control, good) =>
      good.perform<"file.remove">({ ...operation, recursive: false }, control),
  })),
  flawed("removes what a link leads to", ["directories.remove-link"], () => ({
    async "file.remove"({ path }, control, good) {
      await runScript(good, control, ['rm -rf -- "$(readlink -f -- "$1")" "$1"', path])
      return null
    },
  })),
  flawed("is content when there is nothing to remove", ["directories.remove-missing"], () => ({
    "file.remove": (operation, control, good) =>
      good.perform<"file.remove">(operation, control).catch(() => null),
  })),
  flawed("has a shell read its paths", ["directories.odd-names"], () => ({
    async "file.mkdir"({ path }, control, good) {
      await runScript(good, control, [`mkdir -p ${path}`])
      return null
    },
  })),
  {
    ...flawed("makes directories wherever a link leads", ["directories.outside"], () => ({
      async "file.mkdir"({ path }) {
        await mkdir(path, { recursive: true })
        return null
      },
    })),
    base: "local",
  },
  flawed("leaves what it moves where it was", ["directories.rename"], () => ({
    "file.rename": (operation, control, good) =>
      good.perform<"file.copy">({ ...operation, kind: "file.copy" }, control),
  })),
  flawed("moves and copies over nothing", over("file"), () => ({
    "file.rename": unlessThere,
    "file.copy": unlessThere,
  })),
  flawed("moves and copies into a directory that is there", over("directory"), () => ({
    "file.rename": intoDirectory,
    "file.copy": intoDirectory,
  })),
  flawed("writes anew what it moves", ["directories.rename-keeps"], () => ({
    async "file.rename"({ path, to }, control, good) {
      await runScript(good, control, ['cat "$1" > "$2"; rm "$1"', path, to])
      return null
    },
  })),
  flawed("makes room before it looks", ["directories.rename-missing"], () => ({
    async "file.rename"(operation, control, good) {
      await runScript(good, control, ['rm -f "$1"', operation.to])
      return good.perform<"file.rename">(operation, control)
    },
  })),
  flawed("copies a file by a second name", ["directories.copy"], () => ({
    async "file.copy"({ path, to }, control, good) {
      const script = 'mkdir -p "$(dirname "$2")"; ln -f "$1" "$2"'
      await runScript(good, control, [script, path, to])
      return null
    },
  })),
  flawed("copies what links lead to, at the present time", ["directories.copy-tree"], () => ({
    async "file.copy"({ path, to }, control, good) {
      await runScript(good, control, ['mkdir -p "$(dirname "$2")"; cp -rL "$1" "$2"', path, to])
      return null
    },
  })),
]

function flawed(
  flaw: string,
  caughtBy: readonly string[],
  handlersFor: (good: Sandbox) => Handlers,
): BrokenHost {
  const breakHost = (good: Host) => alterSandboxes(good, handlersFor)
  return { flaw, caughtBy, base: "bubblewrap", breakHost }
}

function over(what: "file" | "directory"): string[] {
  return [`directories.rename-over-${what}`, `directories.copy-over-${what}`]
}

async function requireType(good: Sandbox, path: string, control: OperationControl) {
  return (await good.perform<"file.stat">({ kind: "file.stat", path }, control)).type
}

async function typeOf(good: Sandbox, path: string, control: OperationControl) {
  return requireType(good, path, control).catch(() => null)
}

type Move = Extract<Operation, { kind: "file.rename" | "file.copy" }>

async function unlessThere(move: Move, control: OperationControl, good: Sandbox): Promise<null> {
  if (await typeOf(good, move.to, control)) return null
  return good.perform<Move["kind"]>(move, control)
}

/** As cp and mv do when nobody tells them what is meant. */
async function intoDirectory(move: Move, control: OperationControl, good: Sandbox): Promise<null> {
  const isDirectory = (await typeOf(good, move.to, control)) === "directory"
  const to = isDirectory ? `${move.to}/${basename(move.path)}` : move.to
  return good.perform<Move["kind"]>({ ...move, to }, control)
}

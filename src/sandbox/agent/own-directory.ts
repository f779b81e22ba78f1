import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { ToolFailure } from "../../contract/index.ts"
import { createId } from "../../kit/index.ts"
import { claimDirectory, keepDirectory, otherOwner } from "../abandoned.ts"
import { exchangeName } from "./remove-abandoned.ts"
import { removeTree } from "./remove-tree.ts"

/** All that one sandbox has on this machine. */
export interface OwnDirectory {
  readonly path: string
  /** The sandbox's own files. */
  readonly home: string
  /** Whom the sandbox is outside: its user and group. */
  readonly user: number
  readonly group: number
  /** Nobody else on this machine has these numbers. */
  readonly isOwn: boolean
  /** Takes it back when it was made for nothing. */
  discard(): Promise<void>
}

/** Run by root, a sandbox is a user of its own that this machine knows nothing of. */
const firstUser = 2_000_000
const users = 2 ** 24

const keptName = /^[a-z0-9][a-z0-9_-]{0,62}$/

/** A new directory; or, for one that is kept, the one that the same word gave before. */
export function openOwnDirectory(shared: string, keptAs: string | undefined): OwnDirectory {
  if (keptAs !== undefined && !keptName.test(keptAs)) {
    throw new ToolFailure({
      kind: "invalid_args",
      message: `${JSON.stringify(keptAs.slice(0, 70))} can't name a kept sandbox.`,
      expected: 'lower-case letters, digits, "-" and "_"; at most 63',
    })
  }
  const path = join(shared, keptAs === undefined ? createId("sandbox") : `kept_${keptAs}`)
  const home = join(path, "home")
  const isNew = !existsSync(home)
  refuseBusy(path)
  mkdirSync(home, { recursive: true, mode: 0o755 })
  claimDirectory(path)
  if (keptAs !== undefined) keepDirectory(path)
  const identity = isNew ? chooseIdentity() : ownerOfHome(home)
  if (isNew) {
    // Other users of this machine may walk to it, and not into it.
    chmodSync(home, 0o700)
    if (identity.isOwn) chownSync(home, identity.user, identity.group)
  }
  const discard = async () => {
    if (isNew) await removeTree(path)
  }
  return { path, home, ...identity, discard }
}

/** One that sleeps belongs to whoever wakes it. */
function refuseBusy(path: string): void {
  const pid = otherOwner(path)
  if (pid === null || !existsSync(join(path, exchangeName))) return
  throw new ToolFailure({
    kind: "unavailable",
    message: `The sandbox is in use by another Toolkeep (process ${pid}).`,
  })
}

type Identity = Pick<OwnDirectory, "user" | "group" | "isOwn">

/** Never root: who runs Toolkeep, or numbers of its own. */
function chooseIdentity(): Identity {
  const user = process.getuid?.() ?? 0
  if (user !== 0) return { user, group: process.getgid?.() ?? user, isOwn: false }
  const own = firstUser + Math.floor(Math.random() * users)
  return { user: own, group: own, isOwn: true }
}

function ownerOfHome(home: string): Identity {
  const { uid, gid } = statSync(home)
  return { user: uid, group: gid, isOwn: process.getuid?.() === 0 }
}

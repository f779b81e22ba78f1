import type { Environment } from "./command-environment.ts"

/**
 * Every process of a sandbox carries this variable: the ids of its sandbox and its command, joined by
 * ":". It is how a child that left its process group is found and known to be ours.
 */
export const markVariable = "TOOLKEEP_SANDBOX"

/** Toolkeep may itself run inside a sandbox: then its commands belong to the outer one as well. */
export function markValue(own: Environment, ids: readonly string[]): string {
  const outer = own[markVariable]
  return (outer ? [outer, ...ids] : ids).join(":")
}

/** Does an environment, as the system keeps it (`NAME=value` ended by NULs), carry the id? */
export function carriesMark(environment: Buffer, id: string): boolean {
  // Most processes don't hold the id at all; only the others are worth taking apart.
  if (!environment.includes(id)) return false
  const start = `${markVariable}=`
  return environment
    .toString("latin1")
    .split("\0")
    .some((entry) => entry.startsWith(start) && entry.slice(start.length).split(":").includes(id))
}

import { Bash } from "just-bash"
import type { Peer } from "./peer.ts"

/** An interpreter in the caller's own process. */
export async function openJustBash(): Promise<Peer> {
  const existing = new Bash()
  const create = async () => {
    const bash = new Bash()
    await bash.exec("true")
    return bash
  }
  const held = new Set<Bash>()
  return {
    wall: "an interpreter without programs",
    createAndRun: async () => {
      await create()
      return async () => {}
    },
    exec: () => existing.exec("true"),
    hold: async () => {
      const bash = await create()
      held.add(bash)
      return async () => held.delete(bash)
    },
    async [Symbol.asyncDispose]() {},
  }
}

import type { Command } from "just-bash"
import { printed } from "./answer.ts"

/** A script runs in one thread, however many the machine has. */
export const nproc: Command = {
  name: "nproc",
  trusted: false,
  execute: async () => printed("1\n"),
}

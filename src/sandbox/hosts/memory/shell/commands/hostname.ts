import type { Command } from "just-bash"
import { printed } from "./answer.ts"

/** The same name that uname tells. */
export const hostname: Command = {
  name: "hostname",
  trusted: false,
  execute: async () => printed("toolkeep\n"),
}

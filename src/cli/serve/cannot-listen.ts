import { errorText } from "../../kit/index.ts"
import { UsageError } from "../flags/command.ts"

/** Says what to do where a server can't listen; anything else is thrown as it is. */
export function cannotListen(error: unknown): never {
  const isListening = error instanceof Error && "syscall" in error && error.syscall === "listen"
  if (!isListening) throw error
  throw new UsageError(
    `the server can't listen there (${errorText(error)}). Choose another with --port or --listen.`,
  )
}

import { injectedPaths } from "../../programs/inject-programs.ts"
import { agentScript } from "./agent-script.ts"
import type { InjectedPrograms } from "./inject-programs.ts"
import { requireImage, requirePrograms } from "./require-programs.ts"

/** What the agent's shell does before anything else. */
const joinChannel = "exec </run/toolkeep/requests >/run/toolkeep/answers || exit 1;"

/** How the agent is started in a container, whose first process it is: the program, and its arguments. */
export function agentCommand(
  injected: InjectedPrograms | null,
  /** How many processes commands may have; nothing where others of the machine have the same user. */
  commandProcesses: number | null,
): { readonly program: readonly string[]; readonly arguments: readonly string[] } {
  const required = injected?.withBash ? requireImage : requirePrograms
  const processes = commandProcesses === null ? [] : [String(commandProcesses)]
  return {
    program: [injected ? injectedPaths.bash : "/bin/bash", "--noprofile", "--norc", "-c"],
    arguments: [`${joinChannel} ${required} ${agentScript}`, "bash", ...processes],
  }
}

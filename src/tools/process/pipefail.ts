/** On the command's own first line, so that the line numbers in bash's messages stay true. */
const pipefail = "set -o pipefail; "

export function withPipefail(command: string): string {
  return `${pipefail}${command}`
}

/** The command as its caller wrote it. */
export function withoutPipefail(command: string): string {
  return command.startsWith(pipefail) ? command.slice(pipefail.length) : command
}

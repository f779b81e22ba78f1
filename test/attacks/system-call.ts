import type { Workspace } from "../../src/contract/index.ts"
import { numbers, type SyscallName } from "../../src/sandbox/kernel/syscalls.ts"

/** Names of the answers that the attacks expect. */
export const errors = { EPERM: 1, ENXIO: 6, ENOSYS: 38, EAFNOSUPPORT: 97 } as const

/** What a command exits with when the seccomp filter kills it: 128 and SIGSYS. */
export const killedByFilter = 128 + 31

const program = `
my ($number, @given) = map { /^n:(.*)/ ? 0 + $1 : substr($_, 2) } @ARGV;
$! = 0;
my $answer = syscall($number, @given);
printf "%d %d", $answer, $! + 0;
`

/** A system call made from inside: prints its answer and the number of its error. */
export function systemCall(number: number, ...given: readonly (number | string)[]): string[] {
  const words = [number, ...given].map((one) => (typeof one === "number" ? `n:${one}` : `s:${one}`))
  return ["perl", "-e", program, "--", ...words]
}

export const architecture = process.arch === "arm64" ? "arm64" : "x64"
/** The answer to a call that is not permitted. */
export const refused = `-1 ${errors.EPERM}`

/** The answer to a call by its name, and the number of its error. */
export async function callFrom(
  workspace: Workspace,
  name: SyscallName,
  ...given: readonly (number | string)[]
): Promise<string> {
  const number = numbers[name][architecture]
  if (number === null) return refused
  return (await workspace.exec(systemCall(number, ...given))).stdout
}

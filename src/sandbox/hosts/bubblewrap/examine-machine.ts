import { findProgram } from "../../../node/index.ts"
import type { HostStatus } from "../../host/host.ts"
import { closedParent } from "./closed-parent.ts"

type Problem = Extract<HostStatus, { kind: "unavailable" }>

/** What is missing, as far as can be told without trying. */
export function examineMachine(path: string, directory: string): Problem | null {
  if (process.platform !== "linux") {
    return problem("Namespaces are a part of Linux.", "Use another host on this system.")
  }
  if (process.arch !== "x64" && process.arch !== "arm64") {
    return problem(`There is no seccomp filter for ${process.arch}.`, "Use another host.")
  }
  for (const [program, source] of programs) {
    if (findProgram(program, path) === null) {
      return problem(
        `There is no ${program} in PATH.`,
        `Install ${source} (apt-get install ${source}).`,
      )
    }
  }
  const closed = process.getuid?.() === 0 ? closedParent(directory) : null
  return closed === null
    ? null
    : problem(
        `Sandboxes run as users of their own, and those can't walk through ${closed}.`,
        `Set TOOLKEEP_HOME to another place, or allow it: chmod o+x ${closed}.`,
      )
}

/** What a sandbox is made with, and the package that has it. */
const programs = [
  ["bwrap", "bubblewrap"],
  ["bash", "bash"],
  ["mkfifo", "coreutils"],
] as const

function problem(reason: string, remedy: string): Problem {
  return { kind: "unavailable", reason, remedy }
}

import type { ExecResult } from "just-bash"

export function printed(stdout: string): ExecResult {
  return { stdout, stderr: "", exitCode: 0 }
}

export function refused(message: string, exitCode = 1): ExecResult {
  return { stdout: "", stderr: `${message}\n`, exitCode }
}

import { type FailureKind, ToolFailure, type Workspace } from "../../contract/index.ts"
import { canonicalJson } from "../../kit/index.ts"
import { WorkspaceError, type WorkspaceErrorCode } from "../../sandbox/index.ts"
import { ConformanceFailure } from "./conformance-check.ts"

/** Ends the check as broken, with what was measured, unless the condition holds. */
export function requireThat(condition: boolean, measured: string): asserts condition {
  if (!condition) throw new ConformanceFailure(measured)
}

/** Compares plain data: numbers, texts, lists and objects of them. */
export function requireEqual(what: string, actual: unknown, expected: unknown): void {
  requireThat(
    canonicalJson(actual) === canonicalJson(expected),
    `${what}: expected ${quote(expected)}, got ${quote(actual)}`,
  )
}

export function requireBytes(what: string, actual: Uint8Array, expected: Uint8Array): void {
  requireThat(
    actual.length === expected.length,
    `${what}: expected ${expected.length} bytes, got ${actual.length}`,
  )
  if (Buffer.compare(actual, expected) === 0) return
  const at = actual.findIndex((byte, index) => byte !== expected[index])
  throw new ConformanceFailure(`${what}: byte ${at} is ${actual[at]}, expected ${expected[at]}`)
}

/** Requires that a file operation fails with exactly this code. */
export async function requireRefusal(
  what: string,
  work: Promise<unknown>,
  code: WorkspaceErrorCode,
): Promise<void> {
  const error = await rejectionOf(what, work)
  requireThat(
    error instanceof WorkspaceError,
    `${what}: expected a WorkspaceError ${quote(code)}, got ${String(error)}`,
  )
  requireEqual(`the code of ${what}`, error.code, code)
}

/** Requires that it fails with a ToolFailure of exactly this kind, and resolves with it. */
export async function requireFailure(
  what: string,
  work: Promise<unknown>,
  kind: FailureKind,
): Promise<ToolFailure> {
  const error = await rejectionOf(what, work)
  requireThat(error instanceof ToolFailure, `${what} failed with ${String(error)}`)
  requireEqual(`the failure of ${what}`, error.kind, kind)
  return error
}

/** Requires that a sandbox still runs commands. */
export async function requireWorks(workspace: Workspace): Promise<void> {
  const { stdout } = await workspace.exec("echo on", { timeoutMs: 10_000 })
  requireEqual("what the next command printed", stdout, "on\n")
}

/** Requires that it fails, and resolves with the reason. */
export async function rejectionOf(what: string, work: Promise<unknown>): Promise<unknown> {
  const outcome = await work.then(
    (value: unknown) => ({ kind: "resolved", value }) as const,
    (reason: unknown) => ({ kind: "rejected", reason }) as const,
  )
  if (outcome.kind === "rejected") return outcome.reason
  const got = outcome.value instanceof Uint8Array ? `${outcome.value.length} bytes` : outcome.value
  throw new ConformanceFailure(`${what} succeeded with ${quote(got)} instead of failing`)
}

const longest = 160

/** A value as a report shows it: on one line, and short. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  if (text.length <= longest) return text
  return `${text.slice(0, longest)}… (${text.length} characters)`
}

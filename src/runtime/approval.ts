import type { Tool } from "../contract/index.ts"
import { canonicalJson } from "../kit/index.ts"
import type { Rule } from "../policy/index.ts"

/** What a person is asked. It can be answered only for exactly this. */
export interface ApprovalRequest {
  readonly callId: string
  readonly tool: string
  readonly title: string
  /** The repaired arguments that will run; a copy, so that changing it changes nothing. */
  readonly input: unknown
  readonly sandbox: string | null
  readonly prompt: string
  readonly rule: Rule
  /**
   * All of the above as a text to show as it is: nothing is cut, characters that can't be seen are marks, and no
   * argument looks like a line about the call.
   */
  readonly question: string
  /** Stands for the arguments, the tool's definition and the sandbox together. */
  readonly fingerprint: string
  readonly expiresAt: number
}

export type ApprovalAnswer =
  | { readonly kind: "approved"; readonly fingerprint: string }
  | { readonly kind: "denied"; readonly reason?: string }
  /** There is nobody who could be asked this way; the remedy is a sentence on what to do. */
  | { readonly kind: "unreachable"; readonly remedy: string }

/** Asks a person. The signal aborts when the answer is no longer wanted. */
export type Approver = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalAnswer>

export async function fingerprintOf(
  tool: Tool,
  input: unknown,
  sandbox: string | null,
): Promise<string> {
  const { name, description, inputSchema } = tool
  const text = canonicalJson({ tool: { name, description, inputSchema }, input, sandbox })
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")
}

import type { ApprovalAnswer, Approver } from "../../../runtime/index.ts"

/** Brings a question about a call to the client that made it. */
export interface ApprovalDesk {
  readonly approve: Approver
  /** From now on, questions about this call go there; the returned function ends that. */
  readonly expect: (callId: string, ask: Approver) => () => void
}

export function createApprovalDesk(): ApprovalDesk {
  const askers = new Map<string, Approver>()
  return {
    async approve(request, signal): Promise<ApprovalAnswer> {
      const ask = askers.get(request.callId)
      if (ask) return ask(request, signal)
      return { kind: "unreachable", remedy: "the client that made the call is gone." }
    },
    expect(callId, ask) {
      askers.set(callId, ask)
      return () => askers.delete(callId)
    },
  }
}

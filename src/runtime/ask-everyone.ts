import type { ApprovalAnswer, Approver } from "./approval.ts"

/**
 * Asks everybody at once: the first answer decides, and the others are told by their signal. Who can't ask a person, or
 * lets the question wait, decides only where nobody else answers.
 */
export function askEveryone(given: readonly (Approver | undefined)[]): Approver | undefined {
  const approvers = given.filter((approve) => approve !== undefined)
  if (approvers.length < 2) return approvers[0]
  return (request, signal) => {
    const decided = new AbortController()
    const wanted = AbortSignal.any([signal, decided.signal])
    const decision = Promise.withResolvers<ApprovalAnswer>()
    const answers = approvers.map(async (approve) => {
      const answer = await approve(request, wanted)
      if (answer.kind !== "unreachable" && answer.kind !== "parked") decision.resolve(answer)
      return answer
    })
    Promise.all(answers).then(([first, ...others]) => {
      const parked = [first, ...others].find((answer) => answer?.kind === "parked")
      decision.resolve(parked ?? (first as ApprovalAnswer))
    }, decision.reject)
    return decision.promise.finally(() => decided.abort())
  }
}

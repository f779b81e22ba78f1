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
    const undecided: ApprovalAnswer[] = []
    const { promise, resolve, reject } = Promise.withResolvers<ApprovalAnswer>()
    const hear = (answer: ApprovalAnswer) => {
      if (answer.kind !== "unreachable" && answer.kind !== "parked") return resolve(answer)
      undecided.push(answer)
      if (undecided.length < approvers.length) return
      resolve(undecided.find(({ kind }) => kind === "parked") ?? answer)
    }
    for (const approve of approvers) approve(request, wanted).then(hear, reject)
    return promise.finally(() => decided.abort())
  }
}

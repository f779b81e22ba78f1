import { expect, it } from "vitest"
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approver,
  askEveryone,
} from "./approval.ts"

const request = { callId: "call_1" } as ApprovalRequest
const signal = new AbortController().signal
const says =
  (answer: ApprovalAnswer): Approver =>
  async () =>
    answer
const unreachable = (remedy: string) => says({ kind: "unreachable", remedy })
const parked = says({ kind: "parked" })
const denied = says({ kind: "denied", reason: "No." })

it("X7: the first answer decides, and the others are told", async () => {
  let told = false
  const waits: Approver = (_request, wanted) =>
    new Promise((resolve) =>
      wanted.addEventListener("abort", () => {
        told = true
        resolve({ kind: "unreachable", remedy: "" })
      }),
    )
  const ask = askEveryone([waits, denied])
  expect(await ask?.(request, signal)).toEqual({ kind: "denied", reason: "No." })
  expect(told).toBe(true)
})

it("X7: who can't ask decides only where nobody else answers, and one alone is asked as it is", async () => {
  expect(await askEveryone([unreachable("a"), denied])?.(request, signal)).toMatchObject({
    kind: "denied",
  })
  expect(await askEveryone([unreachable("a"), unreachable("b")])?.(request, signal)).toEqual({
    ...{ kind: "unreachable", remedy: "a" },
  })
  expect(await askEveryone([unreachable("a"), parked])?.(request, signal)).toEqual({
    kind: "parked",
  })
  expect(askEveryone([undefined, denied])).toBe(denied)
  expect(askEveryone([undefined])).toBe(undefined)
  const fails: Approver = async () => {
    throw new Error("gone")
  }
  await expect(askEveryone([fails, unreachable("a")])?.(request, signal)).rejects.toThrow("gone")
})

it("X7: who comes while others are asked can still answer first", async () => {
  const late = Promise.withResolvers<ApprovalAnswer>()
  const waits: Approver = () => new Promise(() => {})
  const comes = says({ kind: "unreachable", remedy: "", later: late.promise })
  const asked = askEveryone([waits, comes])?.(request, signal)
  late.resolve({ kind: "denied", reason: "Late." })
  expect(await asked).toEqual({ kind: "denied", reason: "Late." })
})

import { expect, it } from "vitest"
import { failureKinds } from "../../src/contract/index.ts"

it("O9: every failure kind, and whether trying again may help", () => {
  expect(failureKinds).toEqual({
    invalid_args: { retryable: true },
    rejected: { retryable: false },
    user_denied: { retryable: false },
    timeout: { retryable: true },
    execution_error: { retryable: true },
    not_found: { retryable: false },
    unavailable: { retryable: true },
    tool_not_found: { retryable: false },
  })
})

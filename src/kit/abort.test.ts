import { describe, expect, it, vi } from "vitest"
import { createDeadline, onAbort, sleep, withAbort, withTimeout } from "./abort.ts"
import type { Clock } from "./clock.ts"

/** A clock that moves only when it is told to. */
function stoppedClock() {
  const timers = new Set<() => void>()
  const clock: Clock = {
    now: () => 0,
    after(_, callback) {
      timers.add(callback)
      return () => void timers.delete(callback)
    },
  }
  return {
    clock,
    timers,
    ring: () => {
      for (const callback of timers) callback()
    },
  }
}

const never = new Promise<never>(() => {})

describe("onAbort", () => {
  it("calls back at once for a signal that has aborted", () => {
    const callback = vi.fn()
    onAbort(AbortSignal.abort(), callback)
    expect(callback).toHaveBeenCalledTimes(1)
  })

  it("does not call back when nobody listens any more", () => {
    const controller = new AbortController()
    const callback = vi.fn()
    onAbort(controller.signal, callback)()
    controller.abort()
    expect(callback).not.toHaveBeenCalled()
  })
})

describe("withAbort", () => {
  it("answers with what the promise answers, and leaves no listener", async () => {
    const { signal } = new AbortController()
    const removed = vi.spyOn(signal, "removeEventListener")
    expect(await withAbort(Promise.resolve(1), signal)).toBe(1)
    await expect(withAbort(Promise.reject(new Error("own")), signal)).rejects.toThrow("own")
    expect(removed).toHaveBeenCalledTimes(2)
    expect(await withAbort(Promise.resolve(2), undefined)).toBe(2)
  })

  it("rejects with the signal's reason, also when it has aborted before", async () => {
    const controller = new AbortController()
    const waiting = withAbort(never, controller.signal)
    controller.abort("stop")
    await expect(waiting).rejects.toBe("stop")
    await expect(withAbort(Promise.resolve(1), controller.signal)).rejects.toBe("stop")
  })

  it("ignores a promise that fails after the abort", async () => {
    const late = Promise.withResolvers<never>()
    await expect(withAbort(late.promise, AbortSignal.abort("stop"))).rejects.toBe("stop")
    late.reject(new Error("too late"))
  })
})

describe("withTimeout", () => {
  it("answers with what comes first, and leaves no timer", async () => {
    const { clock, timers, ring } = stoppedClock()
    const otherwise = () => "late" as const
    expect(await withTimeout(Promise.resolve(1), 10, { otherwise, clock })).toBe(1)
    expect(timers.size).toBe(0)
    const waiting = withTimeout(never, 10, { otherwise, clock })
    ring()
    expect(await waiting).toBe("late")
    expect(timers.size).toBe(0)
  })

  it("fails with the error that is thrown for a time that is over, or with the signal's reason", async () => {
    const { clock, timers, ring } = stoppedClock()
    const otherwise = () => {
      throw new Error("too slow")
    }
    const controller = new AbortController()
    const options = { otherwise, clock, signal: controller.signal }
    const slow = withTimeout(never, 10, options)
    ring()
    await expect(slow).rejects.toThrow("too slow")
    const aborted = withTimeout(never, 10, options)
    controller.abort("stop")
    await expect(aborted).rejects.toBe("stop")
    expect(timers.size).toBe(0)
  })
})

describe("sleep", () => {
  it("ends with the time, or with the signal", async () => {
    const { clock, timers, ring } = stoppedClock()
    const controller = new AbortController()
    const slept = sleep(10, { clock, signal: controller.signal })
    ring()
    await slept
    const aborted = sleep(10, { clock, signal: controller.signal })
    controller.abort("stop")
    await expect(aborted).rejects.toBe("stop")
    expect(timers.size).toBe(0)
  })
})

describe("createDeadline", () => {
  it("aborts with its reason when the time is over", () => {
    const { clock, ring } = stoppedClock()
    using deadline = createDeadline(10, { clock, reason: () => "late" })
    expect([deadline.signal.aborted, deadline.isOver()]).toEqual([false, false])
    ring()
    expect([deadline.signal.reason, deadline.isOver()]).toEqual(["late", true])
  })

  it("aborts with the caller, which is not a time that is over", () => {
    const { clock, ring } = stoppedClock()
    const caller = new AbortController()
    using deadline = createDeadline(10, { clock, signal: caller.signal })
    caller.abort("stop")
    ring()
    expect([deadline.signal.reason, deadline.isOver()]).toEqual(["stop", false])
  })

  it("never ends by itself without a time, and stays as it is when it is disposed of", () => {
    const { clock, timers } = stoppedClock()
    const caller = new AbortController()
    const deadline = createDeadline(null, { clock, signal: caller.signal })
    const timed = createDeadline(10, { clock, signal: caller.signal })
    expect(timers.size).toBe(1)
    for (const one of [deadline, timed]) one[Symbol.dispose]()
    caller.abort()
    expect([deadline.signal.aborted, timed.signal.aborted, timers.size]).toEqual([false, false, 0])
  })
})

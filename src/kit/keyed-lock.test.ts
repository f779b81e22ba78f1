import { expect, it } from "vitest"
import { KeyedLock } from "./index.ts"

/** Takes a lock, says so in the log, and gives it back when told. */
function holder(lock: KeyedLock, log: string[]) {
  return (name: string, key: string, mode: "shared" | "exclusive", signal?: AbortSignal) => {
    const acquired = lock.acquire(key, mode, signal)
    const released = acquired.then((release) => {
      log.push(`${name} in`)
      return release
    })
    released.catch((error) => log.push(`${name} gave up: ${error}`))
    return async () => {
      const release = await released
      log.push(`${name} out`)
      release()
    }
  }
}

const settle = () => new Promise((resolve) => setTimeout(resolve, 5))

it("readers of one key run together, a writer runs alone, all in the order they came", async () => {
  const log: string[] = []
  const hold = holder(new KeyedLock(), log)
  const one = hold("reader 1", "a", "shared")
  const two = hold("reader 2", "a", "shared")
  const writer = hold("writer", "a", "exclusive")
  const three = hold("reader 3", "a", "shared")
  await settle()
  expect(log).toEqual(["reader 1 in", "reader 2 in"])
  await one()
  await settle()
  expect(log.slice(2)).toEqual(["reader 1 out"])
  await two()
  await settle()
  expect(log.slice(3)).toEqual(["reader 2 out", "writer in"])
  await writer()
  await three()
  expect(log.slice(5)).toEqual(["writer out", "reader 3 in", "reader 3 out"])
})

it("writers of different keys don't wait for each other", async () => {
  const log: string[] = []
  const hold = holder(new KeyedLock(), log)
  hold("a", "a", "exclusive")
  hold("b", "b", "exclusive")
  hold("proto", "__proto__", "exclusive")
  await settle()
  expect(log).toEqual(["a in", "b in", "proto in"])
})

it("who gives up while waiting leaves the queue, and those behind go on", async () => {
  const log: string[] = []
  const hold = holder(new KeyedLock(), log)
  const reader = hold("reader 1", "a", "shared")
  const giveUp = new AbortController()
  hold("writer", "a", "exclusive", giveUp.signal)
  hold("reader 2", "a", "shared")
  await settle()
  expect(log).toEqual(["reader 1 in"])
  giveUp.abort("too long")
  await settle()
  expect(log.slice(1).sort()).toEqual(["reader 2 in", "writer gave up: too long"])
  await reader()
})

it("a signal that was aborted before does not even queue", async () => {
  const lock = new KeyedLock()
  await expect(lock.acquire("a", "exclusive", AbortSignal.abort("no"))).rejects.toBe("no")
  const release = await lock.acquire("a", "exclusive")
  release()
})

it("an abort after the lock was taken changes nothing", async () => {
  const lock = new KeyedLock()
  const late = new AbortController()
  const release = await lock.acquire("a", "exclusive", late.signal)
  late.abort()
  const log: string[] = []
  holder(lock, log)("next", "a", "exclusive")
  await settle()
  expect(log).toEqual([])
  release()
  await settle()
  expect(log).toEqual(["next in"])
})

it("giving a lock back twice lets nobody in too early", async () => {
  const lock = new KeyedLock()
  const log: string[] = []
  const hold = holder(lock, log)
  const release = await lock.acquire("a", "exclusive")
  const second = hold("second", "a", "exclusive")
  hold("third", "a", "exclusive")
  release()
  release()
  await settle()
  expect(log).toEqual(["second in"])
  await second()
  await settle()
  expect(log).toEqual(["second in", "second out", "third in"])
})

it("under a storm of readers, writers and those who give up, a writer is always alone", async () => {
  const lock = new KeyedLock()
  let readers = 0
  let writers = 0
  let served = 0
  const work = async (number: number) => {
    const mode = number % 3 === 0 ? "exclusive" : "shared"
    const signal = number % 7 === 0 ? AbortSignal.timeout(number % 5) : undefined
    const release = await lock.acquire(`key ${number % 2}`, mode, signal).catch(() => null)
    if (!release) return
    if (number % 2 === 0) {
      if (mode === "exclusive") writers += 1
      else readers += 1
      expect(writers === 0 || (writers === 1 && readers === 0)).toBe(true)
      await new Promise((resolve) => setTimeout(resolve, number % 3))
      if (mode === "exclusive") writers -= 1
      else readers -= 1
    }
    served += 1
    release()
  }
  await Promise.all(Array.from({ length: 200 }, (_, number) => work(number)))
  expect(served).toBeGreaterThan(150)
  const release = await lock.acquire("key 0", "exclusive")
  release()
})

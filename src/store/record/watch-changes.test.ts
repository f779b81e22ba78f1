import { expect, it } from "vitest"
import { watchFile } from "./watch-file.ts"

it("F20: a reader that begins to wait does not hide a change from one that waits already", async () => {
  let version = 1
  const watch = watchFile(() => version)
  const first = watch.changes(1)[Symbol.asyncIterator]()
  await first.next()
  const woken = first.next()
  // Another process writes, and before this one looks, somebody else begins to wait.
  version = 2
  const second = watch.changes(2)[Symbol.asyncIterator]()
  await second.next()
  expect(await woken).toEqual({ done: false, value: undefined })
  watch.close()
})

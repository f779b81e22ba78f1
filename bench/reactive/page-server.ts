/** A process of its own that serves the pages of patterns, as `toolkeep dev` serves one. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createPatternPages, createQuestions, PatternPage, serveApi } from "../../src/http/index.ts"
import { createId, systemClock } from "../../src/kit/index.ts"
import { jsx } from "../../src/public/reactive/jsx-runtime.ts"
import { handler, NAME, pattern, run, UI, Writable } from "../../src/public/reactive.ts"
import { createPreviewHub } from "../../src/sandbox/index.ts"
import { createHomeRecord, openToolkeep } from "../../src/session/index.ts"

export interface PageServer {
  readonly url: string
  /** Of several people: one alone may not take that many places. */
  readonly tokens: readonly string[]
}

const counter = pattern<object>(() => {
  const count = Writable.of(0)
  const next = handler(() => count.set(count.get() + 1))
  const button = jsx("button", { onclick: next, children: "Next" })
  const shown = jsx("p", { children: () => count.get() })
  return { [NAME]: "Counter", [UI]: jsx("div", { children: [button, shown] }) }
})

const home = await mkdtemp(join(tmpdir(), "toolkeep-pages-"))
const store = await createHomeRecord(home)
const keep = await openToolkeep({ host: "memory", home, record: store })
const patterns = createPatternPages()
const session = keep.session("pages")
for (let index = 0; index < Number(process.argv[2]); index += 1) {
  const address = `page-${index}`
  const problemOf = (error: unknown) => ({ message: String(error) })
  const onProblem = ({ message }: { readonly message: string }) => console.error(message)
  const page = new PatternPage({
    ...{ address, file: address, session: session.name, problemOf, onProblem },
  })
  page.show(run(counter, {}, { session }).ui)
  patterns.add(page)
}
const questions = createQuestions({ store, clock: systemClock })
const tokens = Array.from({ length: 5 }, () => createId("bench"))
const { url, close } = await serveApi(keep, {
  ...{ store, home, questions, previewHub: createPreviewHub(), port: 0, patterns, tokens },
})
process.send?.({ url, tokens } satisfies PageServer)
process.on("disconnect", async () => {
  await close()
  await keep.close()
  await store[Symbol.asyncDispose]()
  await rm(home, { recursive: true, force: true })
  process.exit()
})

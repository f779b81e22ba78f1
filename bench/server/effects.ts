import { join } from "node:path"
import { openToolkeep, type Session } from "../../src/session/index.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

/** 10,000 files, in 100 directories. */
const fill =
  "for i in $(seq 100); do mkdir -p d/$i; (cd d/$i && touch $(seq 100)); done; find d -type f | wc -l"

/** A command that does nothing, with and without a look at what it did. */
export async function effects(directory: string): Promise<BenchRow> {
  const open = (name: string, looks: boolean) =>
    openToolkeep({
      ...{ host: "bubblewrap", home: join(directory, name), record: true, effects: looks },
    })
  await using watching = await open("effects", true)
  await using plain = await open("no-effects", false)
  const [watched, unwatched] = [watching.session("bench"), plain.session("bench")]
  for (const session of [watched, unwatched]) await session.call("shell.exec", { command: fill })
  await untilKnown(watched)
  const call = (session: Session) => () => session.call("shell.exec", { command: "true" })
  const value = await measureTimeRatio(call(watched), call(unwatched), { rounds: 41, roundMs: 200 })
  await untilKnown(watched)
  const what =
    "time of a bubblewrap `true` with its effects, 10,000 files in the home, against without"
  return { id: "server-effects", what, value, bar: 1.2, aim: 1.1, better: "lower" }
}

/** The first calls after so many changes may only read the names; what is measured is a call that looks. */
async function untilKnown(session: Session): Promise<void> {
  const isKnown = Promise.withResolvers<void>()
  const stop = session.listen((event) => {
    if (event.kind === "call-effects" && "created" in event.effects.files) isKnown.resolve()
  })
  for (let calls = 0; calls < 100; calls += 1) {
    await session.call("shell.exec", { command: "true" })
  }
  stop()
  await isKnown.promise
}

import { createId } from "../../kit/index.ts"
import type { NewEntry, RecordStore } from "../../store/index.ts"
import { conformanceLimits } from "../limits.ts"
import { within } from "../measure/within.ts"

/** One promise of a record store, and the measurement that shows whether it is kept. */
export interface RecordCheck {
  /** The topic and what is measured: "order.numbers". */
  readonly id: string
  /** One sentence for a person. */
  readonly promise: string
  /**
   * Resolves with how it was measured; rejects when the promise is broken. `open` opens the same store again,
   * each time as another process; other sessions may be in it.
   */
  run(open: () => Promise<RecordProcess>): Promise<string>
}

/** A store as one process has it open. */
export interface RecordProcess {
  readonly store: RecordStore
  /** Ends that process as `kill -9` does. What the test still holds of it is what a stopped process would go on with. */
  kill(): Promise<void>
  /** How much room all that was recorded takes. */
  bytes(): Promise<number>
}

/** What a check may use. */
export interface RecordSubject {
  open(): Promise<RecordProcess>
  /** The store of one more process. */
  store(): Promise<RecordStore>
  /** A session's name that nobody has used. */
  name(): string
  readonly signal: AbortSignal
}

type Measure = (subject: RecordSubject) => Promise<string>

/** The checks of one topic: its promises, and how each of them is measured. */
export function defineRecordChecks<Name extends string>(
  topic: string,
  promises: Readonly<Record<Name, string>>,
  measures: Readonly<Record<NoInfer<Name>, Measure>>,
): RecordCheck[] {
  return Object.entries<string>(promises).map(([name, promise]) => ({
    id: `${topic}.${name}`,
    promise,
    run: (open) => measure(measures[name as Name], open),
  }))
}

/** However the check ends, every store that it has opened is closed. */
async function measure(
  measureOne: Measure,
  openOne: () => Promise<RecordProcess>,
): Promise<string> {
  const opened: RecordProcess[] = []
  const open = async () => {
    const one = await openOne()
    opened.push(one)
    return one
  }
  const store = async () => (await open()).store
  const name = () => createId("session")
  try {
    return await within(conformanceLimits.checkMs, (signal) =>
      measureOne({ open, store, name, signal }),
    )
  } finally {
    await Promise.allSettled(opened.map((one) => one.store.close()))
    await Promise.allSettled(opened.map((one) => one.kill()))
  }
}

/** An entry whose body says which it is. */
export function note(text: string, rest: Partial<NewEntry> = {}): NewEntry {
  return { kind: "note", at: 1_000, body: { text }, ...rest }
}

/** Collects until there are this many. */
export async function take<Value>(
  values: AsyncIterable<Value>,
  count: number,
  onEach: (value: Value) => void = () => {},
): Promise<Value[]> {
  const taken: Value[] = []
  for await (const value of values) {
    taken.push(value)
    onEach(value)
    if (taken.length === count) break
  }
  return taken
}

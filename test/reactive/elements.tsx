import {
  type Async,
  computed,
  createUsePattern,
  type ExecResult,
  exec,
  fetchData,
  generateText,
  handler,
  lift,
  NAME,
  pattern,
  type Ref,
  type RunOptions,
  run,
  sandbox,
  sh,
  UI,
  Writable,
  writeSandboxFile,
} from "toolkeep/reactive"

/** The elements that a page may have; what it may not have does not compile. */
export default pattern<{ text: string }, { step: Async<ExecResult> }>(({ text }) => {
  const step = exec({ command: text, when: computed(() => text.get() !== "") })
  const submit = handler<{ text: string }>((event) => text.set(event.text))
  const stop = handler(() => text.set(""))
  return {
    [NAME]: text,
    [UI]: (
      <>
        <ct-loader show-elapsed show-stop size="small" hidden={!step.pending} />
        <common-input name="text" value={text} placeholder="Command" onsubmit={submit} />
        <button type="button" onclick={stop} data-id={1} aria-label="Stop">
          {step.latest?.stdout ?? "nothing"}
        </button>
      </>
    ),
    step,
  }
})

/** Never called. */
export function misuse() {
  // @ts-expect-error: there is no such element.
  const unknown = <ct-unknown />
  // @ts-expect-error: a size is a text.
  const size = <ct-loader size={3} />
  // @ts-expect-error: a function is not a handler.
  const click = <button type="button" onclick={() => {}} />
  // @ts-expect-error: a command is missing.
  const missing = exec({ image: "node:22" })
  // @ts-expect-error: a command is not a number.
  const number = exec({ command: computed(() => 5) })
  // @ts-expect-error: an output is missing.
  const output = pattern<{ a: string }, { total: number }>(({ a }) => ({ [NAME]: a }))
  // @ts-expect-error: an output has another type.
  const other = pattern<object, { total: number }>(() => ({ total: computed(() => "one") }))
  // @ts-expect-error: results are not written.
  missing.result = undefined
  const counted = pattern<{ text: string; limit?: number }, { words: number }>(({ text }) => ({
    words: computed(() => text.get().length),
  }))
  const script = {} as RunOptions
  const running = run(counted, { text: "what may be absent may be" }, script)
  // @ts-expect-error: an input is missing.
  run(counted, { limit: 1 }, script)
  // @ts-expect-error: an input has another type.
  run(counted, { text: 1 }, script)
  // @ts-expect-error: there is no session.
  run(counted, { text: "" }, {})
  // @ts-expect-error: an input has another type.
  running.inputs.text.set(1)
  // @ts-expect-error: there is no such output.
  const absent = running.out.lines
  // @ts-expect-error: an output is not written.
  running.out.words.set(1)
  // @ts-expect-error: a value computed from others is not written.
  computed(() => 1).set(2)
  // @ts-expect-error: the list has texts.
  Writable.of<string[]>([]).push(1)
  // @ts-expect-error: there is no such key.
  Writable.of({ a: 1 }).key("b")
  // @ts-expect-error: the event has another type.
  handler<{ text: string }>(() => {}).send({ text: 1 })
  // @ts-expect-error: what it is bound to has another type.
  handler<void, { id: number }>(() => {})({ id: "1" })
  // @ts-expect-error: the function takes a number.
  lift((value: number) => value + 1)("one")
  // @ts-expect-error: there is no such mode.
  const fetched = fetchData({ url: "", mode: "xml" })
  // @ts-expect-error: only commands print.
  const printed = fetched.output
  // @ts-expect-error: an exit code is a number.
  const code: Ref<string> = computed(() => exec({ command: "true" }).result?.exit_code)
  // @ts-expect-error: a prompt is missing.
  const text = generateText({ system: "Be brief." })
  // @ts-expect-error: content is missing.
  const written = writeSandboxFile({ sandbox: sandbox().name, path: "a" })
  // @ts-expect-error: a word is a text or a number.
  const words = sh`echo ${{ a: 1 }}`
  // @ts-expect-error: hooks are missing.
  createUsePattern({ useEffect: () => {} })
  const steps = [missing, number, fetched, text, written]
  return [unknown, size, click, steps, output, other, absent, printed, code, words]
}

/** The patterns of the tests of pages. */

const imports =
  'import { computed, exec, generateText, handler, NAME, pattern, sandbox, UI, Writable } from "toolkeep/reactive"\n'

/** A page with a field, a list by keys, a counter, and handlers. */
export const form = (title: string) => `${imports}
export default pattern<{ start: number }>(({ start }) => {
  const text = Writable.of("")
  const items = Writable.of<string[]>(["a", "b"])
  const count = computed(() => items.get().length + start.get())
  const type = handler<{ value: string }>(({ value }) => text.set(value.toUpperCase()))
  const add = handler<{ item: string }>(({ item }) => items.set([item, ...items.get()]))
  const fail = handler(() => { throw new Error("no such luck") })
  return {
    [NAME]: "Form",
    [UI]: (
      <div>
        <h2>${title}</h2>
        <p id="count">{count.get()} items</p>
        <ul>{items.map((item) => <li key={item}><input aria-label={item} /></li>)}</ul>
        {count.get() > 3 && <p>many</p>}
        <label>Free <textarea name="free" rows={3} /></label>
        <label>Echo <input oninput={type} value={text} /></label><p id="echoed">{text}</p>
        <common-input onsubmit={add} placeholder="New" />
        <button type="button" onclick={fail}>Fail</button>
      </div>
    ),
  }
})
`

export const noPageText = `${imports}
export default pattern<object>(() => ({ [NAME]: "Nothing" }))
`

/** A step that nobody waits for. */
export const slowText = `${imports}
export default pattern<object>(() => {
  const slow = exec({ command: "sleep 3600", image: "python:3.12" })
  return { [UI]: <p>{slow.pending && <ct-loader show-elapsed show-stop />}{slow.error && slow.error.kind}</p> }
})
`

/** The document's fragment with a model, in a pattern. */
export const modelText = `${imports}
export default pattern<{ task: string }>(({ task }) => {
  const sb = sandbox({ image: "node:22" })
  const response = generateText({ prompt: task, tools: sb.tools() })
  return { [NAME]: "Model", [UI]: <p>{response.result ?? "thinking"}</p> }
})
`

/** What an edit must not lose: an input, a writable, a sandbox with a file, and a result. */
export const editedText = (title: string) => `${imports}
export default pattern<{ name: string }>(({ name }) => {
  const sb = sandbox({ image: "node:22" })
  const made = sb.writeFile("note", "kept")
  const once = exec({ command: "cat /proc/sys/kernel/random/uuid", image: "node:22" })
  const seen = Writable.of<string[]>([])
  const look = handler<{ word: string }>(async ({ word }) => {
    name.set(word)
    const { stdout } = await sb.exec("cat note").settled()
    seen.push(stdout)
  })
  return { [NAME]: name, [UI]: <div><h2>${title}</h2><p id="once">{once.result?.stdout}</p><p id="seen">{seen.get().join("+")}</p>
    {made.result && <common-input onsubmit={look} placeholder="Look" />}<textarea aria-label="Mine" /></div> }
})
`

/** More than a screen, with a list that has its own scroll bar and whose rows all change. */
export const longText = `${imports}
export default pattern<object>(() => {
  const count = Writable.of(0)
  const next = handler(() => count.set(count.get() + 1))
  const rows = computed(() => Array.from({ length: 200 }, (_, row) => \`row \${row} of \${count.get()}\`))
  return { [NAME]: "Long", [UI]: <div>
    <div style="height: 600px">Above</div>
    <p id="fixed">all that stays</p><p id="shown">value {count}</p>
    <ul id="list" style="height: 200px; overflow: auto">{rows.map((row) => <li>{row}</li>)}</ul>
    <div style="height: 3000px"><button type="button" onclick={next}>Next</button></div>
  </div> }
})
`

/** A command that prints, and waits for a file before it prints more. */
export const printsText = `${imports}
export default pattern<object>(() => {
  const sb = sandbox({ image: "node:22" })
  const step = sb.exec("echo first; while [ ! -e go ]; do sleep 0.05; done; echo second >&2; exit 3")
  const go = handler(() => void sb.exec("touch go"))
  return { [UI]: <div><pre id="output">{step.output}</pre>
    <p id="state">{step.pending ? "running" : \`ended with \${step.result?.exit_code}\`}</p>
    <button type="button" onclick={go}>Go on</button></div> }
})
`

const clicks = `
  const clicks = Writable.of(0)
  const add = handler(() => clicks.set(clicks.get() + 1))
  const counted = <p>{clicks} clicks <button type="button" onclick={add}>Count</button></p>`

/** A step without an image, an answer of a model, and something that is written. */
export const answeredText = `${imports}
export default pattern<object>(() => {${clicks}
  const once = exec({ command: "echo $RANDOM$RANDOM" })
  const answer = generateText({ prompt: "Write." })
  return { [UI]: <div><p id="once">{once.result?.stdout}</p><p>{answer.result}</p>{counted}</div> }
})
`

/** A command that would run for so many seconds, and a handler that never returns. */
export const loopingText = (seconds: string) => `${imports}
export default pattern<object>(() => {${clicks}
  const slow = exec({ command: "sleep ${seconds}" })
  const loop = handler(() => { for (;;); })
  return { [UI]: <div>{slow.pending && "runs"}{counted}<button type="button" onclick={loop}>Loop</button></div> }
})
`

const cover = "position: fixed; inset: 0; z-index: 9999; background: white"

/** Markup of a stranger that would like to be the whole page. */
export const coversText = `
import { pattern, UI } from "toolkeep/reactive"

export default pattern(() => ({
  [UI]: (
    <section>
      <button type="button">Pay</button>
      <div id="block" innerHTML={'<b style="${cover}">Cancel</b>'} />
      <span id="line" innerHTML={'<b style="${cover}">Cancel</b>'} />
    </section>
  ),
}))
`

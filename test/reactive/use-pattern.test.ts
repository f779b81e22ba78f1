import { parseHTML } from "linkedom"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import {
  type AsyncExec,
  computed,
  createUsePattern,
  exec,
  type Handler,
  handler,
  pattern,
  type Ref,
  type RunOptions,
  Writable,
} from "../../src/public/reactive.ts"
import { scriptedSession } from "../support/reactive/scripted-session.ts"

// Their types bring those of a browser, which this program does not have.
const load = (name: string) => import(name)
const [preact, preactHooks, react] = await Promise.all(
  ["preact", "preact/hooks", "react"].map(load),
)
const { document, window } = parseHTML("<html><body></body></html>")

/** Both look for a browser when they draw. */
beforeAll(() => {
  vi.stubGlobal("window", window)
  vi.stubGlobal("document", document)
})
afterAll(() => {
  vi.unstubAllGlobals()
})

interface Library {
  readonly hooks: Parameters<typeof createUsePattern>[0]
  readonly element: (type: unknown, props: object | null, ...children: unknown[]) => unknown
  /** Draws an element in a page; null empties it. */
  root(container: unknown): Promise<(element: unknown) => void>
  /** A component that shows the message of what is thrown in it. */
  readonly boundary: unknown
}

const boundaryOf = (library: typeof react) =>
  class extends library.Component {
    state = { message: "" }
    static getDerivedStateFromError = ({ message }: Error) => ({ message })
    render() {
      return this.state.message || this.props.children
    }
  }

const libraries = {
  React: {
    hooks: react,
    element: react.createElement,
    async root(container) {
      const { createRoot } = await load("react-dom/client")
      const root = createRoot(container, { onCaughtError: () => {} })
      return (element) => root.render(element)
    },
    boundary: boundaryOf(react),
  },
  Preact: {
    hooks: preactHooks,
    element: preact.createElement,
    root: async (container) => (element) => preact.render(element, container),
    boundary: boundaryOf(preact),
  },
} satisfies Readonly<Record<string, Library>>

type Out = {
  step: AsyncExec
  length: Ref<number>
  note: Handler<string>
  notes: Writable<string[]>
}

const counter = pattern<{ code: string; mark?: string }, Out>(({ code, mark }) => {
  const step = exec({ command: code })
  const notes = Writable.of<string[]>([])
  return {
    ...{ step, notes },
    length: computed(() => step.result?.stdout.length ?? 0),
    note: handler<string>((text) => notes.push(`${text}${mark.get() ?? ""}`)),
  }
})

describe.each<[string, Library]>(Object.entries(libraries))(
  "usePattern in %s",
  (_name, library) => {
    const usePattern = createUsePattern(library.hooks)
    const { element } = library

    async function mount(options: RunOptions) {
      const container = document.createElement("main")
      document.body.append(container)
      const draw = await library.root(container)
      const latest: {
        running?: ReturnType<typeof usePattern<{ code: string; mark?: string }, Out>>
      } = {}
      let drawn = 0
      const counterView = ({ code }: { code: string }) => {
        drawn += 1
        const running = usePattern(counter, { code }, options)
        latest.running = running
        if (!running) return "starting"
        const { step, length, notes } = running.out
        const shown = step.pending ? `${step.output}…` : `${step.result?.stdout} ${length.get()}`
        return `${running.inputs.code.get()}: ${shown} ${notes.get().join()}`
      }
      return {
        ...{ counterView, draw, latest },
        text: () => String(container.textContent),
        drawn: () => drawn,
      }
    }

    it("draws what changes, writes inputs that change, and ends the run with the component", async () => {
      const script = scriptedSession()
      const { counterView, draw, latest, text, drawn } = await mount(script)
      draw(element(counterView, { code: "a" }))
      const first = await script.command("a")
      await expect.poll(text).toBe("a: … ")
      first.print("so far")
      await expect.poll(text).toBe("a: so far… ")
      await script.finish("a", "four")
      await expect.poll(text).toBe("a: so far 6 ")
      await latest.running?.out.note.send("n")
      await expect.poll(text).toBe("a: so far 6 n")
      // The same inputs again are not a change; others are.
      draw(element(counterView, { code: "a" }))
      draw(element(counterView, { code: "b" }))
      const second = await script.command("b")
      await expect.poll(text).toBe("b: … n")
      expect(script.calls).toHaveLength(2)
      const before = drawn()
      for (let index = 0; index < 1000; index += 1) second.print("x")
      await expect.poll(text).toMatch(/^b: x{1000}…/)
      expect(drawn() - before).toBeLessThan(10)
      draw(null)
      await expect.poll(() => second.signal.aborted).toBe(true)
      await expect.poll(() => [...script.sandboxes]).toEqual([])
      await expect(latest.running?.out.note.send("late")).rejects.toThrow("This pattern has ended.")
      expect(script.open).toEqual([])
    })

    it("another session ends the run and starts one, and a body that throws reaches the error boundary", async () => {
      const [one, two] = [scriptedSession(), scriptedSession()]
      const { draw, text } = await mount(one)
      const plain = pattern<object>(() => ({ step: exec({ command: "a" }) }))
      const failing = pattern<object>(() => {
        throw new Error("Not today.")
      })
      const chosenView = ({ of }: { of: "one" | "two" | "none" }) => {
        const options = of === "two" ? two : one
        const running = usePattern<object, object>(of === "none" ? failing : plain, {}, options)
        return running ? "runs" : "starting"
      }
      const drawChosen = (of: string) =>
        draw(element(library.boundary, null, element(chosenView, { of })))
      drawChosen("one")
      const call = await one.command("a")
      drawChosen("two")
      await two.command("a")
      await expect.poll(() => call.signal.aborted).toBe(true)
      drawChosen("none")
      await expect.poll(text).toBe("Not today.")
      await expect.poll(() => [...one.sandboxes, ...two.sandboxes]).toEqual([])
      draw(null)
    })
  },
)

it("the double mount of React's StrictMode runs steps once, and its end ends them", async () => {
  const usePattern = createUsePattern(react)
  const script = scriptedSession()
  let mounts = 0
  const strictView = () => {
    react.useEffect(() => {
      mounts += 1
    })
    return usePattern(counter, { code: "a" }, script) ? "runs" : "starting"
  }
  const container = document.createElement("main")
  const draw = await libraries.React.root(container)
  draw(react.createElement(react.StrictMode, null, react.createElement(strictView)))
  const call = await script.command("a")
  await expect.poll(() => container.textContent).toBe("runs")
  expect(mounts).toBeGreaterThan(1)
  expect(script.calls).toHaveLength(1)
  expect(call.signal.aborted).toBe(false)
  draw(null)
  await expect.poll(() => call.signal.aborted).toBe(true)
  await expect.poll(() => [...script.sandboxes]).toEqual([])
  expect(script.calls).toHaveLength(1)
})

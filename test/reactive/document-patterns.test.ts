import { expect, it } from "vitest"
import type { Async, ExecResult, Handler, Ref, View } from "../../src/public/reactive.ts"
import { run } from "../../src/public/reactive.ts"
import { loadPattern } from "../support/reactive/load-pattern.ts"
import { scriptedSession } from "../support/reactive/scripted-session.ts"

/** What a page shows, as text: holes are filled in, and elements are told by their tags. */
function shownBy(view: View): string {
  const { tree, holes } = view.snapshot()
  const text = (node: unknown): string => {
    if (Array.isArray(node)) return node.map(text).join("")
    if (typeof node !== "object" || node === null) return String(node ?? "")
    if ("hole" in node) return text(holes[Number(node.hole)])
    if (!("tag" in node) || !("children" in node) || !("props" in node)) return JSON.stringify(node)
    const props = Object.entries(Object(node.props)).map(([name, value]) => {
      // Since when, and what ends it.
      if (name === "since" || name === "onstop") return ""
      const isHole = typeof value === "object" && value !== null && "hole" in value
      const shown = isHole ? holes[Number(value.hole)] : value
      return ` ${name}=${typeof shown === "string" ? shown : JSON.stringify(shown)}`
    })
    return `<${node.tag}${props.join("")}>${text(node.children)}</${node.tag}>`
  }
  return text(tree)
}

const loader = "<ct-loader></ct-loader>"
const page = { kind: "page", status: 200, status_text: "OK", truncated: false }

it("C20.examples: the Python Runner, as printed: its loader, its output, and its error as text", async () => {
  const file = "examples/patterns/python-runner.tsx"
  const script = scriptedSession()
  await using running = run(
    await loadPattern<{ code: string }, object>(file),
    { code: "1" },
    script,
  )
  expect([running.name, shownBy(running.ui)]).toEqual(["Python Runner", `<div>${loader}</div>`])
  await script.finish("python3 -c '1'", "one\n")
  expect(shownBy(running.ui)).toBe("<div><pre>one\n</pre></div>")
  running.inputs.code.set("2")
  expect(shownBy(running.ui)).toBe(`<div>${loader}</div>`)
  ;(await script.command("python3 -c '2'")).fail("unavailable", "No sandbox.")
  await running.settled()
  expect(shownBy(running.ui)).toBe("<div><pre class=error>No sandbox.</pre></div>")
})

it("C20.examples: the TypeScript Compiler, as printed: a sequence, and files once they are there", async () => {
  const file = "examples/patterns/typescript-compiler.tsx"
  const compiler = await loadPattern<{ sourceCode: string }, { js: string; dts: string }>(file)
  const script = scriptedSession()
  await using running = run(compiler, { sourceCode: "let a" }, script)
  expect(shownBy(running.ui)).toBe("<div><ct-loader show-elapsed=true></ct-loader></div>")
  await script.finish("npm init -y")
  await script.finish("npm install typescript")
  await script.finish("cat <<'SRC' > index.ts\nlet a\nSRC")
  await script.finish("npx tsc --outDir dist")
  const answer = (base64: string) => ({ kind: "file", base64 })
  script.open[0]?.answer(answer(Buffer.from("var a").toString("base64")))
  await expect.poll(() => script.open[0]?.input.path).toBe("dist/index.d.ts")
  script.open[0]?.fail("not_found", "There is no such file.")
  await running.settled()
  expect(shownBy(running.ui)).toBe("<div><div><h3>Compiled JS</h3><pre>var a</pre></div></div>")
  expect([running.out.js.get(), running.out.dts.get()]).toEqual(["var a", ""])
})

it("C20.examples: Repo, as printed: two steps at once, joined, and its name follows", async () => {
  const file = "examples/patterns/repo.tsx"
  const repo = await loadPattern<{ repoUrl: string }, { summary: { stars: number } }>(file)
  const script = scriptedSession()
  await using running = run(repo, { repoUrl: "a/b" }, script)
  expect(running.name).toBe("Repo: loading...")
  const meta = await script.command("https://api.github.com/repos/a/b")
  meta.answer({ ...page, text: '{"name":"b","stargazers_count":7}' })
  await expect.poll(() => running.name).toBe("Repo: b")
  script.open[0]?.answer({ kind: "command", stdout: " 120 total\n", stderr: "", exit_code: 0 })
  await running.settled()
  expect(shownBy(running.ui)).toBe("<div><p>Stars: 7</p><p>TypeScript lines: 120</p></div>")
  expect(running.out.summary.stars).toBe(7)
})

it("C20.examples: Shell, as printed: what is typed runs once in its sandbox, and its history grows when results arrive", async () => {
  const file = "examples/patterns/shell.tsx"
  type Out = { history: ExecResult[]; run: Handler<{ command: string }> }
  const shell = await loadPattern<{ language: "python" | "node" }, Out>(file)
  const script = scriptedSession()
  await using running = run(shell, { language: "python" }, script)
  const input = '<common-input onsubmit={"handler":"h1"} placeholder=$ ></common-input>'
  expect(shownBy(running.ui)).toBe(`<div>${input}</div>`)
  await running.ui.send("h1", { command: "ls" })
  expect(shownBy(running.ui)).toBe(`<div>${input}</div>`)
  await script.finish("ls", "a.txt\n")
  expect(shownBy(running.ui)).toBe(`<div><div><pre>a.txt\n</pre></div>${input}</div>`)
  const history: Ref<ExecResult[]> = running.out.history
  expect(history.map(({ exit_code }) => exit_code)).toEqual([0])
})

it("C20.examples: the CSV Analyzer, as printed: no stage runs its placeholder, and its chart is drawn from a file", async () => {
  const file = "examples/patterns/csv-analyzer.tsx"
  const analyzer = await loadPattern<{ csvUrl: string }, object>(file)
  const script = scriptedSession()
  await using running = run(analyzer, { csvUrl: "http://x/a.csv" }, script)
  const waiting = ["Fetching CSV... ", "Analyzing... ", "Charting... "]
  const divs = (texts: readonly string[]) => texts.map((text) => `<div>${text}${loader}</div>`)
  expect(shownBy(running.ui)).toBe(`<div>${divs(waiting).join("")}</div>`)
  ;(await script.command("http://x/a.csv")).answer({ ...page, text: "a,b\n1,2\n" })
  await expect.poll(() => script.open[0]?.input.command).toContain("'''a,b\n1,2\n'''")
  expect(shownBy(running.ui)).toBe(`<div>${divs(waiting.slice(1)).join("")}</div>`)
  script.open[0]?.answer({ kind: "command", stdout: "{}", stderr: "", exit_code: 0 })
  await expect.poll(() => script.open[0]?.input.command).toMatch(/^Rscript/)
  script.open[0]?.answer({ kind: "command", stdout: "{}", stderr: "", exit_code: 0 })
  await expect.poll(() => script.open[0]?.input.path).toBe("/tmp/chart.svg")
  script.open[0]?.answer({ kind: "file", base64: Buffer.from("<svg/>").toString("base64") })
  await running.settled()
  expect(shownBy(running.ui)).toBe("<div><div innerHTML=<svg/>></div></div>")
  expect(script.calls.map(({ input }) => input.command)).not.toContain("echo 'waiting'")
})

it("X11.elements: ct-loader, common-input and HTML elements are data, with values and handlers filled in", async () => {
  type Out = { step: Async<ExecResult> }
  const elements = await loadPattern<{ text: string }, Out>("test/reactive/elements.tsx")
  const script = scriptedSession()
  await using running = run(elements, { text: "" }, script)
  const shown = (text: string, isHidden: boolean, output: string) =>
    `<ct-loader show-elapsed=true show-stop=true size=small hidden=${isHidden}></ct-loader>` +
    `<common-input name=text value=${text} placeholder=Command onsubmit={"handler":"h1"}></common-input>` +
    `<button type=button onclick={"handler":"h2"} data-id=1 aria-label=Stop>${output}</button>`
  expect(shownBy(running.ui)).toBe(shown("", true, "nothing"))
  await running.ui.send("h1", { text: "ls" })
  expect(shownBy(running.ui)).toBe(shown("ls", false, "nothing"))
  await script.finish("ls", "a")
  await running.ui.send("h2", {})
  expect(shownBy(running.ui)).toBe(shown("", true, "a"))
  expect(running.out.step.pending).toBe(false)
})

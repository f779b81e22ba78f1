import { fileURLToPath } from "node:url"
import { build } from "vite"
import { expect, it } from "vitest"
import { CompileError, loadCompiler } from "../../src/reactive/load/compile-pattern.ts"
import { createPatternLoader } from "../../src/reactive/load/pattern-loader.ts"
import { patternPlugin } from "../../src/reactive/load/vite-plugin.ts"

it("C20.parts: an expression in the braces of JSX becomes a function; names, texts, functions, keys and handlers do not", async () => {
  const compile = await loadCompiler()
  const text = `const view = <li key={a.id} class={b.c} onclick={d.e()} title="t" id={f}>
  ü {a.name} {1} {"x"} {() => a.g} {/* no */} {a.h && <b>{\`\${a.i}\`}</b>}
</li>`
  const { code, source } = compile("/view.tsx", text)
  expect(
    source.withFunctions(),
  ).toBe(`const view = <li key={a.id} class={()=>(b.c)} onclick={d.e()} title="t" id={f}>
  ü {()=>(a.name)} {1} {"x"} {() => a.g} {/* no */} {()=>(a.h && <b>{()=>(\`\${a.i}\`)}</b>)}
</li>`)
  expect(code).toContain('from "toolkeep/reactive/jsx-runtime"')
  // Where it stands with functions, and where it was written.
  const shown = source.withFunctions().split("\n")[1]?.indexOf("a.i") ?? 0
  const written = text.split("\n")[1]?.indexOf("a.i") ?? 0
  expect(source.placeIn(2, shown + 1)).toMatchObject({ line: 2, column: written + 1 })
})

it("C20.parts: a file that can't be compiled has its place and its lines", async () => {
  const compile = await loadCompiler()
  const attempt = () => compile("/view.tsx", "const a = 1\nconst b = <p>{a.}</p>\n")
  expect(attempt).toThrow(CompileError)
  try {
    attempt()
  } catch (error) {
    const place = { file: "/view.tsx", line: 2, column: 17 }
    expect(error).toMatchObject({ problem: { ...place, frame: expect.stringContaining("> 2 |") } })
  }
})

it("C20.parts: a file that is not there is named, and nothing of Toolkeep's own", async () => {
  using loader = await createPatternLoader()
  const missing = loader.load("/nowhere/pattern.tsx")
  await expect(missing).rejects.toMatchObject({
    problem: { file: "/nowhere/pattern.tsx", message: "This file does not exist." },
  })
})

it("C20.parts: Vite builds patterns the same way, and leaves other JSX to itself", async () => {
  const entry = fileURLToPath(new URL("../../examples/patterns/shell.tsx", import.meta.url))
  const built = await build({
    ...{ configFile: false, logLevel: "silent", plugins: [patternPlugin()] },
    build: {
      ...{ write: false, minify: false, lib: { entry, formats: ["es"] } },
      rolldownOptions: { external: /^toolkeep/ },
    },
  })
  const [first] = [built].flat()
  const code = first && "output" in first ? first.output[0].code : ""
  expect(code).toContain("() => history.map(")
  expect(code).toContain("toolkeep/reactive/jsx-runtime")
  expect(await patternPlugin().transform("<p>{a.b}</p>", "/other.tsx")).toBe(null)
})

it("X2: the place of an error is found however long its message is, which a command may have printed", async () => {
  using loader = await createPatternLoader()
  // 16 million characters: with a time that grows by their square, this would take hours.
  for (const text of ["file://".repeat(2 ** 21), `file://a${":1".repeat(2 ** 23)}`]) {
    expect(loader.problemOf(new Error(text)).message).toHaveLength(text.length)
  }
})

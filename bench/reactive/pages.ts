import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { repositoryRoot } from "../../scripts/repository.ts"
import { loadCompiler } from "../../src/reactive/load/compile-pattern.ts"
import { openPatterns, type PatternFixture } from "../../test/console/pattern-fixture.ts"
import type { BenchRow } from "../harness/bench-row.ts"
import { measureTimeRatio } from "../harness/measure.ts"

const source = `import { handler, NAME, pattern, sandbox, sh, UI, Writable } from "toolkeep/reactive"
export default pattern<object>(() => {
  const count = Writable.of(0)
  const run = sandbox({}).exec(sh\`true \${count}\`)
  const next = handler(() => count.set(count.get() + 1))
  return {
    [NAME]: "Next",
    [UI]: (
      <div>
        <button type="button" onclick={next}>Next</button>
        <p id="shown">{run.result?.exit_code === 0 && count.get()}</p>
      </div>
    ),
  }
})
`

/** What a person sees of patterns: how late a change is, and how long it takes until there is a page. */
export async function pages(): Promise<readonly BenchRow[]> {
  await using fixture = await openPatterns()
  const file = await fixture.write("next.tsx", source)
  return [await changeToPage(fixture, file), await firstPaint(fixture, file)]
}

/** From a click on the page to the page with the result of a command, against the command and one frame. */
async function changeToPage(fixture: PatternFixture, file: string): Promise<BenchRow> {
  await using started = await fixture.start(file)
  const { page } = await fixture.open(started.address)
  await page.locator("#shown", { hasText: "0" }).waitFor()
  await page.evaluate(`
    let count = 0
    window.next = () => new Promise((resolve) => {
      count += 1
      const look = () => {
        if (document.querySelector("#shown").textContent !== String(count)) return
        watch.disconnect()
        resolve()
      }
      const watch = new MutationObserver(look)
      watch.observe(document.body, { childList: true, characterData: true, subtree: true })
      document.querySelector("button").click()
    })
  `)
  const { session } = fixture
  await session.call("sandbox.create", { sandbox: "reference", image: "node:22" })
  const reference = async () => {
    await session.call("shell.exec", { command: "true 1", sandbox: "reference" })
    await page.evaluate("new Promise(requestAnimationFrame)")
  }
  return {
    id: "change-to-page",
    what: "time from a click to the page with the result of `true`, against the same call and one frame",
    value: await measureTimeRatio(() => page.evaluate("window.next()"), reference, { rounds: 41 }),
    ...{ bar: 1.5, aim: 1.2, better: "lower" },
  }
}

/** From the start of `toolkeep dev` until the page shows its first value, against a Node that imports the pattern. */
async function firstPaint(fixture: PatternFixture, file: string): Promise<BenchRow> {
  const home = join(fixture.directory, "home")
  await mkdir(home)
  const compiled = join(fixture.directory, "compiled.mjs")
  const compile = await loadCompiler()
  const entry = (name: string) => JSON.stringify(join(repositoryRoot, "src/public", name))
  const { code } = compile(file, source)
  await writeFile(
    compiled,
    code
      .replaceAll('"toolkeep/reactive/jsx-runtime"', entry("reactive/jsx-runtime.ts"))
      .replaceAll('"toolkeep/reactive"', entry("reactive.ts")),
  )
  const dev = async () => {
    const args = ["dev", file, "--host", "memory", "--port", "0", "--image", "virtual"]
    const program = join(repositoryRoot, "src/cli/main.ts")
    const env = { ...process.env, TOOLKEEP_HOME: home, NO_COLOR: "1" }
    const child = spawn(process.execPath, [program, ...args], {
      ...{ env, stdio: ["ignore", "pipe", "inherit"] },
    })
    const ended = once(child, "exit")
    let text = ""
    for await (const said of child.stdout.setEncoding("utf8")) {
      text += said
      if (text.includes("\n")) break
    }
    const { page } = await fixture.browse(/http:\S+/.exec(text)?.[0] ?? "")
    await page.locator("#shown", { hasText: "0" }).waitFor()
    child.kill("SIGKILL")
    await ended
    await page.context().close()
  }
  const importing = async () => {
    await once(spawn(process.execPath, [compiled], { stdio: "inherit" }), "exit")
  }
  return {
    id: "dev-first-paint",
    what: "time from the start of `toolkeep dev` to its page, against a Node that imports the compiled pattern",
    value: await measureTimeRatio(dev, importing, { rounds: 9 }),
    ...{ bar: 3, aim: 2, better: "lower" },
  }
}

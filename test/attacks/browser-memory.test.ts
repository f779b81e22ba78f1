import { readdirSync } from "node:fs"
import { expect, it } from "vitest"
import { servePages } from "../support/tools/pages-fixture.ts"
import { localBench } from "../support/tools/tool-bench.ts"

const greedy = `<title>Greedy</title><script>
  const kept = []
  const take = () => { for (let i = 0; i < 8; i++) kept.push(new Uint8Array(2 ** 24).fill(1)); setTimeout(take) }
  take()
</script>`

/** Control groups of this process's browsers. */
function browserGroups(): readonly string[] {
  return ["/sys/fs/cgroup/memory/toolkeep", "/sys/fs/cgroup/toolkeep"].flatMap((path) => {
    try {
      return readdirSync(path).filter((name) => name.includes(`:${process.pid}:`))
    } catch {
      return []
    }
  })
}

it("C18: a page that takes memory without end loses its tab, the answer says so, and the browser goes on", async () => {
  await using pages = await servePages({
    "/greedy": greedy,
    "/plain": "<title>Plain</title><p>Hello</p>",
  })
  const settings = {
    network: { reach: "full", private: [`localhost:${pages.port}`] },
    browser: { memory_mb: 512 },
  } as const
  {
    await using bench = await localBench.open({ settings })
    const call = (tool: string, input: object) => bench.call(`browser.${tool}`, input)
    // The page may load, and answer, before it has taken everything: then a later call is told.
    let answer = await call("navigate", { url: `${pages.origin}/greedy` })
    const problem = "It took more memory than the browser may use (512 MiB)."
    await expect
      .poll(async () => {
        const said = JSON.stringify(answer)
        if (!said.includes(problem)) answer = await call("snapshot", {})
        return said
      })
      .toContain(problem)
    expect(await call("navigate", { url: `${pages.origin}/plain` })).toMatchObject({
      ok: true,
      result: { title: "Plain" },
    })
    expect(browserGroups()).toEqual([expect.stringMatching(/^browser-/)])
  }
  expect(browserGroups()).toEqual([])
})

import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { benches, type ToolBench } from "../support/tools/tool-bench.ts"
import { type GitHistory, gitHistory, type Tree, treeOf } from "./git-history.ts"

const isBinary = /^(?:Binary files .* differ|GIT binary patch)$/m
const ways: readonly (readonly string[])[] = [
  ["--no-renames"],
  ["-M", "-C", "--find-copies-harder", "--full-index"],
  ["-M", "-U1"],
]

/** What the patches of a history have to have in them. */
const everything = [
  ...[/^rename from /m, /^copy from /m, /^old mode 100/m, /^new file mode 100755/m],
  ...[/^new file mode 120000/m, /^deleted file mode 120000/m, /^deleted file mode 100/m],
  ...[/^\\ No newline at end of file/m, /\r$/m, /^\+\+\+ "b\//m, /\.\.e69de29/],
]

describe.each(benches)(
  "file.patch on the $host host, with patches that git made",
  ({ host, open }) => {
    let bench: ToolBench
    let history: GitHistory
    beforeAll(async () => {
      bench = await open()
      history = gitHistory(host.length * 101, 14)
    })
    afterAll(async () => {
      history[Symbol.dispose]()
      await bench[Symbol.asyncDispose]()
    })

    /** Makes the workspace what a commit has. */
    async function checkOut(commit: string): Promise<void> {
      const { workspace } = bench
      for (const { name } of await workspace.readdir("."))
        await workspace.remove(name, { recursive: true })
      const archive = new Uint8Array(history.git("archive", commit))
      await workspace.importTree(".", new Blob([archive]).stream())
    }

    async function found(): Promise<Tree> {
      const stream = await bench.workspace.exportTree(".")
      return treeOf(new Uint8Array(await new Response(stream).arrayBuffer()))
    }

    const treeAt = (commit: string) => treeOf(new Uint8Array(history.git("archive", commit)))
    const pairs = (): [string, string][] => {
      const { commits } = history
      const next = commits
        .slice(1)
        .map((commit, at): [string, string] => [commits[at] ?? "", commit])
      const [first = "", last = ""] = [commits[1], commits.at(-1)]
      return [...next, [first, last], [last, first]]
    }

    it("F5: makes git's tree of every patch of text, and refuses one of bytes without a change", async () => {
      const seen = { applied: 0, refused: 0 }
      const applied: string[] = []
      for (const [at, [from, to]] of pairs().entries()) {
        const options = ways[at % ways.length] ?? []
        const patch = history.git("diff", ...options, from, to).toString()
        if (patch === "") continue
        await checkOut(from)
        const before = await found()
        expect(before).toEqual(await treeAt(from))
        const envelope = await bench.call("file.patch", { patch })
        const isRefused = isBinary.test(patch)
        expect({ patch, envelope }).toMatchObject({
          envelope: isRefused
            ? { ok: false, kind: "invalid_args", message: expect.stringContaining("binary") }
            : { ok: true },
        })
        expect({ patch, tree: await found() }).toEqual({
          patch,
          tree: isRefused ? before : await treeAt(to),
        })
        seen[isRefused ? "refused" : "applied"] += 1
        if (!isRefused) applied.push(patch)
      }
      expect(seen.applied).toBeGreaterThan(6)
      const missing = everything.filter((part) => !part.test(applied.join("")))
      expect(missing.map(String)).toEqual([])
    })

    it("F5: changes nothing when one hunk of a patch that git made does not match", async () => {
      const [from, to] = pairs().at(-2) ?? ["", ""]
      const patch = history.git("diff", "-M", "--diff-filter=AMDR", from, to).toString()
      const parts = patch.split(/^(?=diff --git )/m).filter((part) => !isBinary.test(part))
      await checkOut(from)
      const before = await found()
      const wrong = "--- a/nowhere.txt\n+++ b/nowhere.txt\n@@ -1 +1 @@\n-a\n+b\n"
      expect(await bench.call("file.patch", { patch: parts.join("") + wrong })).toMatchObject({
        ok: false,
      })
      expect(await found()).toEqual(before)
    })

    it("F5: takes a mail that git format-patch made", async () => {
      const [from = "", to = ""] = history.commits.slice(0, 2)
      await checkOut(from)
      const mail = history.git("format-patch", "--stdout", `${from}..${to}`).toString()
      expect(await bench.call("file.patch", { patch: mail })).toMatchObject({ ok: true })
      expect(await found()).toEqual(await treeAt(to))
    })

    it("C18, O13: makes no link that leads out of the workspace", async () => {
      await checkOut(history.commits[0] ?? "")
      for (const target of ["/etc/passwd", "../../../etc/passwd", "../outside", "/"]) {
        const patch = [
          "diff --git a/in/way b/in/way\nnew file mode 120000\n--- /dev/null\n+++ b/in/way",
          `@@ -0,0 +1 @@\n+${target}\n\\ No newline at end of file\n`,
        ].join("\n")
        expect(await bench.call("file.patch", { patch })).toMatchObject({
          ok: target === "../outside",
        })
      }
      expect(await found()).toEqual({ "in/way": "link to ../outside" })
      const moved =
        "diff --git a/in/way b/way\nsimilarity index 100%\nrename from in/way\nrename to way\n"
      expect(await bench.call("file.patch", { patch: moved })).toMatchObject({
        ok: false,
        message: expect.stringContaining('it would be a link to "../outside"'),
      })
      expect(await found()).toEqual({ "in/way": "link to ../outside" })
    })

    it("F5: refuses a submodule, and a mode where nothing changes", async () => {
      const submodule = `diff --git a/x b/x\nnew file mode 160000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+Subproject commit ${"a".repeat(40)}\n`
      expect(await bench.call("file.patch", { patch: submodule })).toMatchObject({
        ok: false,
        message: expect.stringContaining("neither a file nor a link"),
      })
    })
  },
)

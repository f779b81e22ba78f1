import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { ToolFailure } from "../../../contract/index.ts"
import { fileLimits } from "../../limits.ts"
import { applyEdits, type Edit } from "./apply-edits.ts"

function edit(search: string, replace: string, all = false): Edit {
  return { search, replace, all }
}

async function refusal(
  text: string,
  ...edits: readonly Edit[]
): Promise<{ field: unknown; message: string }> {
  try {
    await applyEdits(text, edits)
  } catch (error) {
    if (error instanceof ToolFailure) return { field: error.field, message: error.message }
  }
  throw new Error("the edits were applied")
}

describe("edits that apply", () => {
  it("F5: each edit works on what the one before it left", async () => {
    const edits = [edit("a", "b"), edit("bb", "c")]
    expect(await applyEdits("ab", edits)).toEqual({ text: "c", replacements: 2 })
  })

  it("F5: $&, $1, $$ and backslashes in the new text are literal", async () => {
    for (const all of [false, true]) {
      const edited = await applyEdits("price: 5", [edit("5", "$& $1 $$ $` $' \\n", all)])
      expect(edited.text).toBe("price: $& $1 $$ $` $' \\n")
    }
  })

  it("F5: all replaces every place, also where the new text contains the old", async () => {
    expect(await applyEdits("a a a", [edit("a", "aa", true)])).toEqual({
      text: "aa aa aa",
      replacements: 3,
    })
  })

  it("F5: CRLF, byte order marks and characters beyond the BMP stay as they are", async () => {
    const edited = await applyEdits("\uFEFFone\r\ntwo 😀\r\n", [edit("two", "2")])
    expect(edited.text).toBe("\uFEFFone\r\n2 😀\r\n")
  })

  it("F5: a single replacement equals cutting the text in two at the place", async () => {
    const words = fc.stringMatching(/^[a-z$&\\\n]{0,20}$/)
    await fc.assert(
      fc.asyncProperty(words, words, words, async (before, after, replace) => {
        const text = `${before}#${after}`
        const expected = `${before}${replace}${after}`
        expect((await applyEdits(text, [edit("#", replace)])).text).toBe(expected)
      }),
    )
  })
})

describe("edits that are refused", () => {
  it("F5, O8: a text that is there more than once is refused with how often and where", async () => {
    expect(await refusal("x\ny\nx\nx x", edit("x", "z"))).toEqual({
      field: "edits[0].search",
      message:
        '"edits[0].search" matches 4 places (lines 1, 3, 4), not one. Add lines around it until it is unique; or set "edits[0].all" to true.',
    })
  })

  it("F5: places that overlap are not one place", async () => {
    expect((await refusal("aaa", edit("aa", "b"))).message).toContain("matches 2 places (line 1)")
  })

  it("F5: the failure names the edit that can't be applied", async () => {
    expect((await refusal("a b", edit("a", "c"), edit("nowhere", "d"))).field).toBe(
      "edits[1].search",
    )
  })

  it("F5: a text that an earlier edit removed is explained as such", async () => {
    expect((await refusal("one", edit("one", "two"), edit("one", "three"))).message).toBe(
      '"edits[1].search" no longer matches: an earlier edit of this call has changed that text.',
    )
  })

  it("F5: a difference in white space is pointed out with the line as it is", async () => {
    const text = "if (a) {\n\treturn  1\n}\n"
    expect((await refusal(text, edit("    return 1\n", ""))).message).toBe(
      '"edits[0].search" matches nothing, but line 2 is the same except for white space: "\\treturn  1". Copy it exactly.',
    )
  })

  it("F5: a first line that is right points at what follows", async () => {
    expect((await refusal("a\nb\nc\n", edit("b\nd", ""))).message).toContain(
      'its first line is line 2, "b", but what follows differs',
    )
  })

  it("F5: different line ends are pointed out, in both directions", async () => {
    expect((await refusal("a\r\nb", edit("a\nb", ""))).message).toContain("the file has CRLF")
    expect((await refusal("a\nb", edit("a\r\nb", ""))).message).toContain("the file has LF")
  })

  it("F5: a hint never quotes more than the start of one line", async () => {
    const line = "x ".repeat(5_000)
    expect((await refusal(`${line}\n`, edit(`${line}y`, ""))).message.length).toBeLessThan(500)
    expect(
      (await refusal(`${line}\n`, edit(line.replaceAll(" ", "  "), ""))).message.length,
    ).toBeLessThan(500)
  })

  it("F5: a replacement that changes nothing is refused", async () => {
    expect((await refusal("a", edit("a", "a"))).field).toBe("edits[0].replace")
  })

  it("F5: replacements that would fill the memory are refused before they do", async () => {
    const bomb = [edit("a", "b".repeat(10_000), true)]
    expect(await refusal("a".repeat(1_000_000), ...bomb)).toEqual({
      field: "edits[0].replace",
      message: `"edits[0].replace" would make the file larger than the ${fileLimits.editBytes} bytes that can be edited.`,
    })
  })

  it("F5: a search that almost matches everywhere is answered soon", async () => {
    const started = performance.now()
    await refusal("a".repeat(2_000_000), edit("a".repeat(1_000_000), "b"))
    await refusal("a".repeat(2_000_000), edit(`${"a".repeat(1_000_000)}b`, "b"))
    expect(performance.now() - started).toBeLessThan(60_000)
  })

  it("F5: more replacements than a call may make are refused, over all edits together", async () => {
    const half = "ab".repeat(fileLimits.replacements / 2 + 1)
    const message = expect.stringContaining("matches more than the 1000000 places")
    expect(await refusal(half, edit("a", "c", true), edit("b", "d", true))).toEqual({
      field: "edits[1].search",
      message: expect.stringContaining("edits[1].search"),
    })
    expect(await refusal(half + half, edit("a", "c", true))).toMatchObject({ message })
  })
})

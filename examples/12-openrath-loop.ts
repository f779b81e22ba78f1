// The loop of OpenRath's document on tools: chunks of the conversation are a table of the session, a tool gets the
// session and dispatches payloads to its sandbox, and each result is written back to the session. The loop's output is
// a session of its own, which the input session's sandbox moves to.
import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { defineTool, openToolkeep, type Session } from "toolkeep"
import { z } from "zod"

/** Hands its work to the sandbox, and sees what was written to the session before. */
const readText = defineTool({
  name: "read_text",
  description: "Reads a text.",
  input: {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  } as const,
  async run({ path }, { dispatch, session }) {
    const chunks = await session.entries()
    seen.push(`${session.name}: ${chunks.filter(({ kind }) => kind === "tool_result").length}`)
    return dispatch({ kind: "files.read", path })
  },
})
const seen: string[] = []

interface ModelCall {
  readonly id: string
  readonly name: string
  /** The text of its arguments, which may be broken. */
  readonly arguments: string
}

/** Each chunk is an entry of the session's record, so that it survives this process. */
async function addChunk(session: Session, kind: string, body: unknown): Promise<void> {
  const record = await session.record?.()
  await record?.append([{ kind, at: Date.now(), body }])
}

/** One call after the other: the next one starts when the result of this one is in the session. */
async function runSessionLoop(
  input: Session,
  session: Session,
  answers: readonly (readonly ModelCall[])[],
) {
  await input.moveSandboxes(session)
  for (const calls of answers) {
    await addChunk(session, "assistant", { calls })
    for (const { id, name, arguments: text } of calls) {
      const envelope = await session.start(name, text, { id }).envelope
      await addChunk(session, "tool_result", { call: id, content: session.render(envelope) })
    }
  }
}

const home = mkdtempSync(join(tmpdir(), "toolkeep-example-"))
const write = { path: "notes.md", content: "# Notes\n" }
// What a model would answer, one list of calls after the other, until it asks for nothing.
const answers: readonly (readonly ModelCall[])[] = [
  [
    { id: "1", name: "write_workspace_file", arguments: JSON.stringify(write) },
    { id: "2", name: "read_text", arguments: '{"path": "notes.md"}' },
    { id: "6", name: "read_text", arguments: '{"path": "readme.md"}' },
  ],
  [
    { id: "3", name: "read_text", arguments: '{"path": ' },
    { id: "4", name: "read_texts", arguments: "{}" },
    { id: "5", name: "read_text", arguments: '{"path": "missing.md"}' },
  ],
  [],
]
{
  const options = { host: "memory", dialect: "openrath", home, record: true } as const
  await using keep = await openToolkeep({ ...options, tools: [readText] })
  const [input, session] = [keep.session("in"), keep.session("out")]
  await (await input.workspace()).writeFile("readme.md", "From the input session.")
  await runSessionLoop(input, session, answers)
  // The output session has the sandbox, with what was in it, and the input session has it no more.
  assert.deepEqual([input.sandboxes.list().length, session.sandboxes.list().length], [0, 1])

  const toolResult = z.object({ content: z.string() })
  const record = await session.record?.()
  const table = (await record?.entries()) ?? []
  const results = table
    .filter(({ kind }) => kind === "tool_result")
    .map(({ body }) => JSON.parse(toolResult.parse(body).content))
  assert.partialDeepStrictEqual(results, [
    { bytes_written: 8 },
    { data: "# Notes\n" },
    { data: "From the input session." },
    { ok: false, error_kind: "invalid_tool_arguments" },
    { ok: false, error_kind: "unknown_tool" },
    { ok: false, error_kind: "tool_execution_exception" },
  ])
  // The tool got the output session, with the results before its own.
  assert.deepEqual(seen, ["out: 1", "out: 2", "out: 5"])
  console.log(results)
}
rmSync(home, { recursive: true })

import {
  defineTool,
  limits,
  showLines,
  trimEndToCharacter,
  trimStartToCharacter,
} from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../arguments.ts"
import { firstCharacter, longestCharacter } from "../file/read/text-bytes.ts"
import { integer, object } from "../schemas.ts"
import { findProcess, pidArgument, stateFields, stateResult } from "./process-result.ts"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** process.output: what a background process has written, piece by piece, also while it runs. */
export function outputTool() {
  return defineTool({
    name: "process.output",
    title: "Read a process's output",
    description:
      "Reads what a background process has written to stdout and stderr, from a byte on. To watch it, ask again with " +
      'offset set to next_offset until state is not "running" and truncated is false. Example: {"pid": 42, "offset": 0}.',
    input: object({
      pid: pidArgument,
      offset: integer("First byte to read, such as the next_offset of the last answer.", {
        minimum: 0,
        default: 0,
      }),
      limit: integer("How many bytes at most, such as 4096.", {
        minimum: 1,
        maximum: limits.textBytes,
        default: limits.textBytes,
      }),
      "sandbox?": sandboxArgument,
    }),
    output: object({
      kind: { const: "output" },
      pid: { type: "integer" },
      text: { type: "string" },
      offset: { type: "integer", description: "Where the text really starts." },
      next_offset: { type: "integer" },
      truncated: { type: "boolean", description: "More can already be read." },
      ...stateFields,
    }),
    groups: ["runtime"],
    effects: ["read"],
    sandbox: namedSandbox,
    /** A piece of the log that starts and ends between characters, with the state as it was before it was read. */
    async run({ pid, offset, limit }, context) {
      const workspace = await context.workspace()
      const { id } = await findProcess(workspace, pid)
      const length = limit + longestCharacter
      const { signal } = context
      const { bytes, state } = await workspace.processes.output(id, { offset, length, signal })
      const whole = offset > 0 ? trimStartToCharacter(bytes) : bytes
      const start = offset + bytes.length - whole.length
      const wanted = takeText(whole, { limit, isAll: state.kind !== "running" })
      const taken = fitting(wanted)
      const isLimited = whole.length > limit && whole.length > wanted.length
      return {
        kind: "output",
        pid,
        text: decoder.decode(taken),
        offset: start,
        next_offset: start + taken.length,
        truncated: isLimited || wanted.length > taken.length,
        ...stateResult(state),
      }
    },
    show: ({ text, state, next_offset: next }) =>
      showLines(text, `[${state}; next_offset ${next}]`),
  })
}

/** Half a character at the end waits for its rest, unless nothing more can come. */
function takeText(
  bytes: Uint8Array,
  { limit, isAll }: { readonly limit: number; readonly isAll: boolean },
): Uint8Array {
  if (bytes.length <= limit && isAll) return bytes
  const cut = trimEndToCharacter(bytes.subarray(0, limit))
  // Even when the limit is smaller than one character, reading on must get somewhere.
  return bytes.length > limit && cut.length === 0 ? firstCharacter(bytes) : cut
}

/** Bytes that are not text are three times as many when they are shown. */
function fitting(bytes: Uint8Array): Uint8Array {
  let taken = bytes
  while (Buffer.byteLength(decoder.decode(taken)) > limits.textBytes) {
    taken = trimEndToCharacter(taken.subarray(0, Math.floor(taken.length / 2)))
  }
  return taken
}

import {
  type CallLimits,
  defineTool,
  integer,
  object,
  showLines,
  trimEndToCharacter,
  trimStartToCharacter,
} from "../../contract/index.ts"
import { namedSandbox, sandboxArgument } from "../arguments.ts"
import { firstCharacter, longestCharacter } from "../file/read/text-bytes.ts"
import { findProcess, pidArgument, showState, stateFields, stateResult } from "./process-result.ts"
import { noOutput } from "./run-to-end.ts"

const decoder = new TextDecoder("utf-8", { ignoreBOM: true })

/** process.output: what a background process has written, piece by piece, also while it runs. */
export function outputTool({ textBytes }: CallLimits) {
  return defineTool({
    name: "process.output",
    title: "Read a process's output",
    description:
      "Reads what a background process has written, stdout and stderr together. To watch it, ask again from next_offset " +
      'until it has ended and truncated is false. Example: {"pid": 42, "offset": 0}.',
    input: object({
      pid: pidArgument,
      offset: integer("First byte, such as the last answer's next_offset.", {
        minimum: 0,
        default: 0,
      }),
      limit: integer("Bytes at most, such as 4096.", {
        minimum: 1,
        maximum: textBytes,
        default: textBytes,
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
      const taken = fitting(wanted, textBytes)
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
    show: ({ text, next_offset: next, truncated, ...process }) =>
      showLines(
        text || noOutput,
        `[${showState(process)}; next_offset ${next}${truncated ? "; more can already be read" : ""}]`,
      ),
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
function fitting(bytes: Uint8Array, textBytes: number): Uint8Array {
  let taken = bytes
  while (Buffer.byteLength(decoder.decode(taken)) > textBytes) {
    taken = trimEndToCharacter(taken.subarray(0, Math.floor(taken.length / 2)))
  }
  return taken
}

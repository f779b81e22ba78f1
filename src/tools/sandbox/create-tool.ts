import { type Capabilities, defineTool, ToolFailure } from "../../contract/index.ts"
import type { Pool } from "../../sandbox/index.ts"
import { poolLimits, sandboxLimits } from "../../sandbox/index.ts"
import { namedSandbox, sandboxName } from "../arguments.ts"
import { integer, object, text } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { nameBound, networkArgument, networkOf } from "./network-argument.ts"
import { describeNew, sandboxFields, showSandbox } from "./sandbox-status.ts"

/** sandbox.create: a sandbox with a name; fine when there is one like that already. */
export function createSandboxTool({ can, sandboxes }: ToolDeps) {
  const network = networkArgument(can, sandboxes.network)
  const limitsGiven = limitsArgument(can)
  const tool = defineTool({
    name: "sandbox.create",
    title: "Create a sandbox",
    description:
      "Creates a sandbox with its own files and processes, for other tools to use by name. " +
      "created is false when it already existed; one that differs from what is asked for is refused. " +
      'Example: {"sandbox": "backend", "sleep_after_ms": 600000}.',
    input: object({
      sandbox: sandboxName('The name of the new sandbox, such as "builder".'),
      "image?": imageArgument(can),
      sleep_after_ms: integer(
        "Goes to sleep after this many milliseconds without use, such as 60000: files stay, processes end, the next use wakes it.",
        {
          minimum: poolLimits.sleepAfterMsLeast,
          maximum: poolLimits.sleepAfterMsMost,
          default: poolLimits.sleepAfterMs,
        },
      ),
      ...(network && { "network?": network }),
      ...(limitsGiven && { "limits?": limitsGiven }),
      ...(can.snapshots && { "from?": fromArgument }),
    }),
    output: object({
      kind: { const: "sandbox" },
      sandbox: { type: "string" },
      created: { type: "boolean" },
      ...sandboxFields,
    }),
    groups: ["runtime"],
    effects: network ? ["execute", "network"] : ["execute"],
    sandbox: namedSandbox,
    async run({ sandbox: name, image, sleep_after_ms: sleepAfterMs, from, ...wanted }, context) {
      const network = networkOf(wanted.network)
      requireOwnSnapshot(sandboxes, from)
      const { sandbox, created } = await sandboxes.create({
        ...{ name, image, sleepAfterMs, network, from },
        limits: wanted.limits && {
          memoryBytes: wanted.limits.memory_bytes,
          diskBytes: wanted.limits.disk_bytes,
          processes: wanted.limits.processes,
          processors: wanted.limits.processors,
        },
      })
      const described = await describeNew(sandboxes, sandbox)
      if (described.sleep_after_ms !== sleepAfterMs) {
        context.warn(`It already existed and sleeps after ${described.sleep_after_ms} ms.`)
      }
      return { kind: "sandbox", sandbox, created, ...described }
    },
    show: showSandbox,
  })
  const { bounds } = sandboxes.network
  if (bounds.length === 0) return tool
  return Object.freeze({
    ...tool,
    check: (input: unknown) => nameBound(tool.check(input), input, bounds),
  })
}

/** Where the images are known beforehand, the argument is one of them. */
function imageArgument({ images }: Capabilities) {
  if (!images) {
    return text(
      'The image it starts from, such as "python:3.12". Without it, the default image; the failure for an unknown one lists those there are.',
    )
  }
  const [byDefault = ""] = images
  const description = `The image it starts from; without it, ${JSON.stringify(byDefault)}.`
  return text(description, { enum: images })
}

const fromArgument = text(
  'A snapshot of this session whose files it starts with, such as "snapshot_0a1b2c3d4e5f".',
)

/** The limits that the host holds a sandbox to; null when there is none. */
function limitsArgument({ limits: given }: Capabilities) {
  const { memoryBytesLeast, diskBytesLeast, processesLeast, processorsLeast } = sandboxLimits
  const memory = upTo(given.memoryBytes, memoryBytesLeast)
  const disk = upTo(given.diskBytes, diskBytesLeast)
  const processes = upTo(given.processes, processesLeast)
  const processors = upTo(given.processors, processorsLeast)
  if (!memory && !disk && !processes && !processors) return null
  return {
    ...object({
      ...(memory && {
        "memory_bytes?": integer(
          "The memory of all its commands together, such as 536870912.",
          memory,
        ),
      }),
      ...(disk && {
        "disk_bytes?": integer("What its files may take together, such as 1073741824.", disk),
      }),
      ...(processes && {
        "processes?": integer("How many processes it may have at once, such as 100.", processes),
      }),
      ...(processors && {
        "processors?": {
          type: "number",
          ...processors,
          description: "How much of the processors it gets, such as 0.5.",
        },
      }),
    }),
    description: "Lower limits than sandboxes get by default.",
  } as const
}

/** At most what the host gives anyway: more is for the program that opened the session. */
function upTo(maximum: number | null, minimum: number) {
  return maximum === null || maximum < minimum ? null : { minimum, maximum }
}

/** A host keeps the snapshots of all its sessions, and they share nothing. */
function requireOwnSnapshot(sandboxes: Pool, from: string | undefined): void {
  const own = sandboxes.snapshots()
  if (from === undefined || own.includes(from)) return
  throw new ToolFailure({
    kind: "not_found",
    message: `This session has no snapshot ${JSON.stringify(from.slice(0, 100))}.`,
    field: "from",
    expected: own.length > 0 ? `one of ${own.slice(-20).join(", ")}` : "none was taken yet",
  })
}

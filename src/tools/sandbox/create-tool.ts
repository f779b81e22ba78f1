import {
  type CallContext,
  type Capabilities,
  defineTool,
  type JsonSchema,
  ToolFailure,
} from "../../contract/index.ts"
import type { Pool, SandboxRequest } from "../../sandbox/index.ts"
import { poolLimits } from "../../sandbox/index.ts"
import { namedSandbox } from "../sandbox-argument.ts"
import { integer, object, text } from "../schemas.ts"
import type { ToolDeps } from "../tool-deps.ts"
import { describedProperties, describeNew, showSandbox } from "./described-sandbox.ts"
import { type LimitsInput, limitsArgument, limitsOf } from "./limits-argument.ts"
import { type NetworkRequest, nameBound, networkArgument, networkOf } from "./network-argument.ts"
import { sandboxName } from "./sandbox-name.ts"

const basic = {
  sandbox: sandboxName('The name of the new sandbox, such as "builder".'),
  image: text(
    'What it is made of, such as "python:3.12". Without it, the usual image; a wrong one is answered with those there are.',
  ),
  sleep_after_ms: integer(
    "After so many milliseconds without use it goes to sleep: files stay, processes end, the next use wakes it. Such as 60000.",
    {
      minimum: poolLimits.sleepAfterMsLeast,
      maximum: poolLimits.sleepAfterMsMost,
      default: poolLimits.sleepAfterMs,
    },
  ),
} as const

const fromArgument = text(
  'A snapshot of this session whose files it starts with, such as "snapshot_0a1b2c3d4e5f".',
)

interface CreateInput {
  readonly sandbox: string
  readonly image?: string
  readonly sleep_after_ms: number
  readonly network?: NetworkRequest
  readonly limits?: LimitsInput
  readonly from?: string
}

const outputSchema = object({
  kind: { const: "sandbox" },
  sandbox: { type: "string" },
  created: { type: "boolean" },
  ...describedProperties,
})

/** sandbox.create: a sandbox with a name; fine when there is one like that already. */
export function createSandboxTool({ can, sandboxes }: ToolDeps) {
  const properties = propertiesFor(can, sandboxes)
  const tool = defineTool({
    name: "sandbox.create",
    title: "Create a sandbox",
    description:
      "Makes a sandbox with files and processes of its own, for other tools to use by its name. " +
      "created is false when it was there already; one that is there and differs from what is asked for is refused. " +
      'Example: {"sandbox": "backend", "sleep_after_ms": 600000}.',
    input: {
      type: "object",
      properties,
      required: ["sandbox"],
      additionalProperties: false,
    } as JsonSchema,
    output: outputSchema,
    groups: ["runtime"],
    effects: "network" in properties ? ["execute", "network"] : ["execute"],
    sandbox: (input) => namedSandbox(input as CreateInput),
    async run(input, context) {
      const asked = input as CreateInput
      return create(sandboxes, { ...requestOf(asked), network: networkOf(asked.network) }, context)
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

function propertiesFor(can: Capabilities, sandboxes: Pool): Readonly<Record<string, JsonSchema>> {
  const held = limitsArgument(can)
  const network = networkArgument(can, sandboxes.network)
  return {
    ...basic,
    ...(can.images && { image: imageAmong(can.images) }),
    ...(network && { network }),
    ...(held && { limits: held }),
    ...(can.snapshots && { from: fromArgument }),
  }
}

/** Where they are known beforehand, an example is one of them. */
function imageAmong(images: readonly string[]): JsonSchema {
  const [byDefault = ""] = images
  const description = `What it is made of; without it, ${JSON.stringify(byDefault)}.`
  return { ...basic.image, enum: images, description }
}

function requestOf({
  sandbox,
  image,
  sleep_after_ms,
  limits: wanted,
  from,
}: CreateInput): SandboxRequest {
  return { name: sandbox, image, sleepAfterMs: sleep_after_ms, limits: limitsOf(wanted), from }
}

async function create(sandboxes: Pool, request: SandboxRequest, context: CallContext) {
  requireOwnSnapshot(sandboxes, request.from)
  const { sandbox, created } = await sandboxes.create(request)
  const described = await describeNew(sandboxes, sandbox)
  if (described.sleep_after_ms !== request.sleepAfterMs) {
    context.warn(`It was there already and sleeps after ${described.sleep_after_ms} ms.`)
  }
  return { kind: "sandbox" as const, sandbox, created, ...described }
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

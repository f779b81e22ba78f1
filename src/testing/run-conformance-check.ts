import { createId } from "../kit/index.ts"
import { createWorkspace, type Host, type Sandbox, type SandboxSpec } from "../sandbox/index.ts"
import { conformanceLimits } from "./limits.ts"
import {
  type ConformanceCheck,
  ConformanceFailure,
  type ConformanceResult,
  type Subject,
} from "./measure/conformance-check.ts"
import { quote } from "./measure/require.ts"
import { within } from "./measure/within.ts"

export interface CheckOptions {
  /** When a check is ended that has not answered. */
  readonly checkMs?: number | undefined
}

/** Measures one promise in a fresh sandbox, which is destroyed however the check ends. */
export async function runConformanceCheck(
  host: Host,
  check: ConformanceCheck,
  options: CheckOptions = {},
): Promise<ConformanceResult> {
  const { id, promise } = check
  if (check.needs && !check.needs(host.can)) {
    return { id, promise, kept: null, how: "the host does not promise it" }
  }
  const sandboxes: Promise<Sandbox>[] = []
  const verdict = await judge(host, check, { sandboxes, checkMs: options.checkMs })
  const complaints = await destroyAll(sandboxes)
  return { id, promise, kept: verdict.kept, how: [verdict.how, ...complaints].join("; ") }
}

async function judge(
  host: Host,
  check: ConformanceCheck,
  {
    sandboxes,
    checkMs = conformanceLimits.checkMs,
  }: CheckOptions & { sandboxes: Promise<Sandbox>[] },
): Promise<{ kept: boolean; how: string }> {
  const create = (spec: Omit<SandboxSpec, "name"> = {}) => {
    const sandbox = host.create({ ...spec, name: createId("conform") })
    sandboxes.push(sandbox)
    return sandbox
  }
  try {
    const how = await within(checkMs, async (signal) => {
      const sandbox = await create()
      const workspace = createWorkspace(sandbox)
      const another: Subject["another"] = async (spec) => {
        // Nobody would destroy it any more.
        signal.throwIfAborted()
        return create(spec)
      }
      return check.run({ host, sandbox, workspace, can: sandbox.can, signal, another })
    })
    return { kept: true, how }
  } catch (error) {
    return { kept: false, how: error instanceof ConformanceFailure ? error.message : threw(error) }
  }
}

/** Reports sandboxes that could not be destroyed, and destroys the others all the same. */
async function destroyAll(sandboxes: readonly Promise<Sandbox>[]): Promise<string[]> {
  const ends = await Promise.allSettled(
    sandboxes.map((sandbox) => within(conformanceLimits.lifeMs, () => destroy(sandbox))),
  )
  return ends.flatMap((end) =>
    end.status === "rejected" ? [`its sandbox could not be destroyed: ${threw(end.reason)}`] : [],
  )
}

/** Also one that is made too late; one that could not be made has been reported. */
async function destroy(sandbox: Promise<Sandbox>): Promise<void> {
  const made = await sandbox.catch(() => null)
  await made?.destroy()
}

function threw(error: unknown): string {
  return error instanceof Error
    ? `threw ${error.name}: ${quote(error.message)}`
    : `threw ${quote(String(error))}`
}

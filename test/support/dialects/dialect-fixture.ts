import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { PolicyConfig } from "../../../src/config/index.ts"
import type { Envelope, Tool } from "../../../src/contract/index.ts"
import type { DialectTable } from "../../../src/dialects/dialect-table.ts"
import { type DialectSession, speakDialect } from "../../../src/dialects/speak-dialect.ts"
import { createPolicy } from "../../../src/policy/index.ts"
import { createRuntime } from "../../../src/runtime/index.ts"
import { createPool, type Host, type Pool } from "../../../src/sandbox/index.ts"
import { artifactDirectory } from "../../../src/store/index.ts"
import { canonicalTools } from "../../../src/tools/index.ts"

export interface Speaking extends AsyncDisposable {
  readonly tools: readonly Tool[]
  readonly sandboxes: Pool
  speak(table: DialectTable): DialectSession<object>
  /** A call in the canonical vocabulary. */
  call(tool: string, input?: unknown): Promise<Envelope>
}

/** For tests: canonical tools over a host, for vocabularies to be spoken over. */
export async function openSpeaking(host: Host, config: PolicyConfig = {}): Promise<Speaking> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-dialects-"))
  const sandboxes = createPool(host)
  const closers: (() => Promise<void>)[] = []
  const tools = canonicalTools({
    can: host.can,
    version: "0.0.0",
    session: "dialects",
    home,
    settings: {},
    sandboxes,
    artifacts: artifactDirectory(join(home, "artifacts")),
    onClose: (close) => closers.push(close),
  })
  const policy = createPolicy({ ...config, tools: { policy: "full", ...config.tools } })
  const runtime = createRuntime({ tools, policy })
  const sandbox = { name: "default", workspace: (name: string) => sandboxes.workspace(name) }
  const start = (tool: string, input?: unknown) => runtime.start({ tool, input, sandbox })
  const shown = () =>
    tools.filter((tool) => tool.unavailableReason() === null && policy.shows(tool, {}))
  return {
    tools,
    sandboxes,
    speak: (table) =>
      speakDialect(table, { tools: shown, allTools: () => tools, start }, { home: host.can.home }),
    call: (tool, input) => start(tool, input).envelope,
    async [Symbol.asyncDispose]() {
      await Promise.all(closers.map((close) => close()))
      await sandboxes.destroy()
      await rm(home, { recursive: true, force: true })
    },
  }
}

import {
  type CallLimits,
  type Capabilities,
  defineTool,
  limits,
  object,
} from "../../contract/index.ts"

/** What is known about a session before any sandbox is started. */
export interface SystemFacts {
  readonly can: Capabilities
  /** Toolkeep's own. */
  readonly version: string
  readonly limits: CallLimits
  /** The name of the sandbox that calls go to. */
  readonly sandbox?: string
  /** Where commands and relative paths start, where that is known beforehand. */
  readonly cwd?: string
}

/** system.info: which promises hold here. Answered from data, so it starts no sandbox. */
export function systemTools(facts: SystemFacts) {
  const info = describeSystem(facts)
  return [
    defineTool({
      name: "system.info",
      title: "Describe the sandbox",
      description:
        "Describes this sandbox and what it can do: isolation, network, limits. null means no limit. Example: {}.",
      input: object({}),
      output: object({
        kind: { const: "system" },
        toolkeep: { type: "string", description: "Its version." },
        host: { type: "string" },
        isolation: { enum: ["none", "virtual", "namespaces", "container"] },
        network: { enum: ["none", "allow-list", "full"] },
        "sandbox?": { type: "string" },
        "cwd?": { type: "string" },
        can: {
          type: "object",
          properties: {
            search_files: yesOrNo,
            watch_output: yesOrNo,
            run_in_background: yesOrNo,
            open_terminals: yesOrNo,
            keep_file_modes: yesOrNo,
            keep_files_after_the_session: yesOrNo,
          },
        },
        languages: { type: "array", items: { type: "string" } },
        limits: {
          type: "object",
          properties: {
            memory_bytes: orUnlimited,
            disk_bytes: orUnlimited,
            processes: orUnlimited,
            tool_timeout_ms: { type: "integer" },
            text_bytes: { type: "integer" },
            result_bytes: { type: "integer" },
            listing_entries: { type: "integer" },
          },
        },
      }),
      effects: ["read"],
      run: () => info,
    }),
  ]
}

const orUnlimited = { type: ["integer", "null"] } as const
const yesOrNo = { type: "boolean" } as const

function describeSystem({ can, version, limits: held, sandbox, cwd }: SystemFacts) {
  return {
    kind: "system" as const,
    toolkeep: version,
    host: can.host,
    isolation: can.isolation,
    network: can.networks[0] ?? "none",
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(cwd === undefined ? {} : { cwd }),
    can: {
      search_files: true,
      watch_output: can.liveOutput,
      run_in_background: can.background,
      open_terminals: can.terminal === true,
      keep_file_modes: can.fileModes,
      keep_files_after_the_session: can.durable,
    },
    languages: Object.keys(can.languages),
    limits: {
      memory_bytes: can.limits.memoryBytes,
      disk_bytes: can.limits.diskBytes,
      processes: can.limits.processes,
      tool_timeout_ms: held.timeoutMs,
      text_bytes: held.textBytes,
      result_bytes: held.resultBytes,
      listing_entries: limits.listingEntries,
    },
  }
}

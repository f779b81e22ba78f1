import { type Capabilities, defineTool, limits, type Tool } from "../../contract/index.ts"

/** What is known about a session before any sandbox is started. */
export interface SystemFacts {
  readonly can: Capabilities
  /** Toolkeep's own. */
  readonly version: string
  /** The name of the sandbox that calls go to. */
  readonly sandbox?: string
  /** Where commands and relative paths start, where that is known beforehand. */
  readonly cwd?: string
}

/** system.info: which promises hold here. Answered from data, so it starts no sandbox. */
export function systemTools(facts: SystemFacts): readonly Tool[] {
  const info = describeSystem(facts)
  return [
    defineTool({
      name: "system.info",
      title: "Describe the sandbox",
      description:
        "Says what this sandbox is and what it can do: isolation, network, limits. null means no limit. Example: {}.",
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      effects: ["read"],
      run: () => info,
    }),
  ]
}

function describeSystem({ can, version, sandbox, cwd }: SystemFacts) {
  return {
    kind: "system",
    toolkeep: version,
    host: can.host,
    isolation: can.isolation,
    network: can.networks[0] ?? "none",
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(cwd === undefined ? {} : { cwd }),
    can: {
      search_files: can.ripgrep !== null,
      watch_output: can.liveOutput,
      keep_file_modes: can.fileModes,
      keep_files_after_the_session: can.durable,
    },
    limits: {
      memory_bytes: can.limits.memoryBytes,
      disk_bytes: can.limits.diskBytes,
      processes: can.limits.processes,
      tool_timeout_ms: limits.toolTimeoutMs,
      text_bytes: limits.textBytes,
      result_bytes: limits.resultBytes,
      listing_entries: limits.listingEntries,
    },
  }
}

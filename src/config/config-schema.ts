import type { InferSchema } from "../contract/index.ts"
import { configRoot, type Origin } from "./config-path.ts"
import { fillInVariables } from "./fill-in-variables.ts"
import { configLimits } from "./limits.ts"
import { mcpServers } from "./mcp-schema.ts"
import { agents, providers, text, textList, tools } from "./policy-schema.ts"
import {
  agent,
  browser,
  disk,
  limits,
  memory,
  models,
  network,
  sandboxes,
  search,
  store,
} from "./settings-schema.ts"

/** The JSON Schema of toolkeep.yaml. docs/configuration.md is generated from it. */
export const policySchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "toolkeep.yaml",
  description: "Which tools an agent may use, when a person is asked, and what the tools use.",
  type: "object",
  properties: {
    tools,
    agents,
    providers,
    images: {
      type: "object",
      description:
        "Images for sandboxes, by name: host for this machine's own programs, or a path relative to this file: a " +
        "root file system's directory, a tar of one, or an image that docker save or an OCI tool wrote.",
      examples: [{ "python:3.12": "./images/python.tar" }],
      additionalProperties: text,
    },
    dialects: {
      ...textList,
      description: "Files with your own dialects, relative to this file.",
      examples: [["./dialects/house.yaml"]],
    },
    network,
    search,
    models,
    memory,
    browser,
    sandboxes,
    store,
    disk,
    limits,
    mcpServers,
    agent,
  },
  additionalProperties: false,
} as const

/** The content of toolkeep.yaml. */
export type PolicyFile = InferSchema<typeof policySchema>

/** A configuration as data: written in code, or read from a file, with the lines of its values. */
export interface PolicyConfig extends PolicyFile {
  readonly origin?: Origin
}

/** The sections that tools read: what they reach and which services they use. */
export type Settings = Pick<PolicyFile, "network" | "search" | "models" | "memory" | "browser">

/** One MCP server as toolkeep.yaml describes it. */
export type McpServerConfig = NonNullable<PolicyFile["mcpServers"]>[string]

/** An OpenAI-compatible endpoint. */
export type ModelEndpoint = NonNullable<NonNullable<Settings["models"]>["vision"]>

export interface ToolLists {
  readonly allow?: readonly string[]
  readonly deny?: readonly string[]
}

type Tools = NonNullable<PolicyFile["tools"]>
export type RuleConfig = NonNullable<Tools["rules"]>[number]
export type HooksConfig = NonNullable<Tools["hooks"]>
export type Autonomy = NonNullable<Tools["autonomy"]>

/** Disk limits in addition to each sandbox's own limit. */
export interface DiskSettings {
  /** For one session: its sandboxes, their temporary files while they sleep, its snapshots and its artifacts. */
  readonly sessionBytes?: number | undefined
  /** For everything that Toolkeep stores on this machine. */
  readonly totalBytes?: number | undefined
}

/** How many sandboxes a server keeps ready. */
export function warmSandboxes(policy: string | PolicyConfig): number {
  const { warm } = (typeof policy === "object" && policy.sandboxes) || {}
  return warm ?? configLimits.warmSandboxes
}

/** The address of the database with the record, with the values of its variables; null where it is a file of the home. */
export function storeAddress(
  policy: string | PolicyConfig | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  if (typeof policy !== "object" || policy.store === undefined) return null
  const path = configRoot(policy.origin).at("store")
  return fillInVariables(policy.store, environment, (name) =>
    path.fail(`needs the environment variable ${name}, which is not set.`),
  )
}

/** The disk limits of a configuration; none for a profile's name. */
export function diskSettings(policy: string | PolicyConfig | undefined): DiskSettings {
  if (typeof policy !== "object") return {}
  const { session_bytes, total_bytes } = policy.disk ?? {}
  return { sessionBytes: session_bytes, totalBytes: total_bytes }
}

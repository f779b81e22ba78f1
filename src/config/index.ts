export { callLimits, type LimitSettings, limitSettings } from "./call-limits.ts"
export { type ConfigPath, configRoot, pointerTo, quote } from "./config-path.ts"
export {
  type Autonomy,
  type DiskSettings,
  diskSettings,
  type HooksConfig,
  type McpServerConfig,
  type ModelEndpoint,
  type PolicyConfig,
  type PolicyFile,
  policySchema,
  type RuleConfig,
  type Settings,
  storeAddress,
  type ToolLists,
  warmSandboxes,
} from "./config-schema.ts"
export { fillInVariables, variablePattern } from "./fill-in-variables.ts"
export { configLimits } from "./limits.ts"
export {
  findServer,
  type HttpServer,
  isSafeForTokens,
  type OAuthClient,
  readServers,
  type SandboxedServer,
  type ServerSpec,
  type StdioServer,
} from "./mcp-servers.ts"
export { checkConfig, parseConfig } from "./parse-config.ts"
export { parseYaml } from "./parse-yaml.ts"

// `toolkeep/agent`: a model that works with a session's tools.
export { type Agent, type AgentOptions, createAgent } from "../agent/index.ts"

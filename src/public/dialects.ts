// `toolkeep/dialects`: vocabularies over the tools.
export { type DialectTable, parseDialectYaml } from "../dialects/index.ts"

export { builtInDialect, dialectNames } from "./built-in-dialects.ts"
export type { DialectTable } from "./dialect-table.ts"
export { parseDialectYaml } from "./parse-dialect-yaml.ts"
export { type DialectSession, speakDialect } from "./speak-dialect.ts"

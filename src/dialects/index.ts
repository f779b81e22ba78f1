export type { DialectAnswer, Vocabulary } from "./create-vocabulary.ts"
export type { DialectTable } from "./dialect-table.ts"
export { builtInDialect, dialectNames, openDialect, parseDialectYaml } from "./open-dialect.ts"
export { boundSandbox } from "./tables/bound-sandbox.ts"

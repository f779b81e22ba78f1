// `toolkeep/dialects`: vocabularies over the tools.
export {
  builtInDialect,
  type DialectTable,
  dialectNames,
  parseDialectYaml,
} from "../dialects/index.ts"

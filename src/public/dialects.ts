// `toolkeep/dialects`: vocabularies over the tools.
export {
  builtInDialect,
  type DialectTable,
  dialectNames,
  parseDialectYaml,
  speakDialect,
} from "../dialects/index.ts"

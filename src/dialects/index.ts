export { builtInDialect, dialectNames } from "./built-in-dialects.ts"
export type {
  AnswerForm,
  ChosenTool,
  DialectArgument,
  DialectEntry,
  DialectTable,
  EachItem,
  FixedValue,
  ResultShape,
  ResultSource,
} from "./dialect-table.ts"
export { parseDialectYaml } from "./parse-dialect-yaml.ts"
export {
  type DialectAnswers,
  type DialectSession,
  type SpeakOptions,
  type Spoken,
  speakDialect,
} from "./speak-dialect.ts"

import type { Tool } from "../../contract/index.ts"
import type { BuiltInTool } from "../../tools/index.ts"

/** The tools that a session's `call` knows by name: the built-in ones and a program's own. */
type KnownTool<Own extends Tool, Name> = Extract<BuiltInTool | Own, { readonly name: Name }>

/** Bridged tools have names too, and their types are known to nobody. */
export type ToolName<Own extends Tool> =
  | BuiltInTool["name"]
  | Own["name"]
  | `mcp:${string}:${string}`

/** The arguments of `call` after the tool's name: input that may be empty may be left out. */
export type CallArguments<Own extends Tool, Name, Options> =
  Readonly<Record<never, never>> extends ToolInput<Own, Name>
    ? [input?: ToolInput<Own, Name>, options?: Options]
    : [input: ToolInput<Own, Name>, options?: Options]

type ToolInput<Own extends Tool, Name> = [KnownTool<Own, Name>] extends [never]
  ? unknown
  : NonNullable<KnownTool<Own, Name>["types"]>["input"]

export type ResultOf<Own extends Tool, Name> = [KnownTool<Own, Name>] extends [never]
  ? unknown
  : NonNullable<KnownTool<Own, Name>["types"]>["result"]

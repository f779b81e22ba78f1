import { isObject } from "../schema/json.ts"
import type { ResultView, Tool } from "../tool/tool.ts"

/** The tool that made a result, as far as showing it goes. */
type ShowingTool = Pick<Tool, "show">

const everything: ResultView = { outputShown: false, endShown: false }

/** A result as a text for people and models: as its tool says, or else its own text, or its JSON. */
export function showResult(
  tool: ShowingTool | undefined,
  result: unknown,
  view: ResultView = everything,
): string {
  return tool?.show ? (shownBy(tool.show, result, view) ?? plainText(result)) : plainText(result)
}

/** A result that had to be cut to fit may lack what its tool would show. */
function shownBy(
  show: NonNullable<Tool["show"]>,
  result: unknown,
  view: ResultView,
): string | undefined {
  try {
    return show(result as never, view)
  } catch {
    return undefined
  }
}

function plainText(result: unknown): string {
  if (typeof result === "string") return result
  if (isObject(result) && typeof result.text === "string") return result.text
  return JSON.stringify(result) ?? ""
}

/** Joins what there is to show, a line for each part; empty parts leave no line. */
export function showLines(...parts: readonly (string | false | null | undefined)[]): string {
  return parts
    .filter((part) => typeof part === "string" && part !== "")
    .map((part) => String(part).replace(/\n$/, ""))
    .join("\n")
}

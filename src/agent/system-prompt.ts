import type { Session } from "../session/index.ts"

/** What every request of a run begins with. Nothing in it changes during the run. */
export function systemPrompt(
  session: Session,
  instructions: string | undefined,
  hasSchema: boolean,
): string {
  return [
    "You work on a task for a person, with tools.",
    session.environment,
    "Look before you change something, check what you did, and correct what failed instead of repeating it.",
    hasSchema
      ? "When you are done, call `complete` with the value that was asked for."
      : "When you are done, answer with what you did in a few sentences.",
    instructions ?? "",
  ]
    .filter((part) => part !== "")
    .join("\n")
}

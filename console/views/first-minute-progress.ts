import type { SessionRecord } from "../state/record/record.ts"

/** Which of the first steps have happened, whoever made them happen. */
export interface Progress {
  readonly ran: boolean
  readonly asked: boolean
  readonly connected: boolean
}

export function progressOf(record: SessionRecord | null, connected: boolean): Progress {
  const ids = record?.ids.value ?? []
  const cards = ids.map((id) => record?.card(id)?.value).filter((card) => card?.kind === "call")
  return {
    ran: cards.some(({ tool, end }) => tool === "shell.exec" && end !== null),
    asked: cards.some(({ asked }) => asked.some(({ answer }) => answer !== null)),
    connected,
  }
}

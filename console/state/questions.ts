import { effect, signal } from "@preact/signals"
import type { RouteAnswer, RouteArguments } from "../../src/api/index.ts"
import { client } from "./client.ts"
import { notifyOf } from "./notifications.ts"
import { watch } from "./watch.ts"

export type Question = RouteAnswer<"questions.list">["questions"][number]
export type QuestionAnswer = Omit<RouteArguments<"questions.answer">, "question">

/** All that waits for a person, the oldest first. */
export const questions = signal<readonly Question[]>([])

/** Whether the server has said what waits; from then on questions wait for this page. */
export const areQuestionsKnown = signal(false)

export function watchQuestions(): () => void {
  const stop = watch(
    "questions.watch",
    () => ({}),
    ({ event, data }) => {
      if (event !== "questions") return
      const { questions: waiting } = data as { readonly questions: readonly Question[] }
      questions.value = waiting
      areQuestionsKnown.value = true
      notifyOf(waiting)
    },
  )
  const stopCounting = effect(() => showCount(questions.value.length))
  return () => {
    stop()
    stopCounting()
  }
}

/** False when somebody else was first. */
export async function answer(question: Question, given: QuestionAnswer): Promise<boolean> {
  const { fingerprint, question: id } = question
  const { counted } = await client().request("questions.answer", {
    question: id,
    ...(fingerprint !== null && { fingerprint }),
    ...given,
  })
  return counted
}

/** In the title and the icon, where a person sees it from another tab. */
function showCount(count: number): void {
  document.title = count === 0 ? "Toolkeep" : `(${count}) Toolkeep`
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]')
  if (icon) icon.href = count === 0 ? "/icons/idle.svg" : "/icons/waiting.svg"
}

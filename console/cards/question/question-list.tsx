import { useSignal, useSignalEffect } from "@preact/signals"
import { type ListedQuestion, listQuestions } from "../../model/question-list.ts"
import { CardBoundary } from "../../parts/card-boundary.tsx"
import { type Question, questions } from "../../state/questions.ts"
import { QuestionCard } from "./question.tsx"

/** What waits for a person, in the order in which it came. `focused` is the question that an address names. */
export function QuestionList({ focused }: { readonly focused?: string | undefined }) {
  const shown = useSignal<readonly ListedQuestion<Question>[]>([])
  useSignalEffect(() => {
    shown.value = listQuestions(shown.peek(), questions.value)
  })
  return (
    <>
      {shown.value.map(({ question, isOpen }) => (
        <CardBoundary key={question.question}>
          <QuestionCard
            question={question}
            isOpen={isOpen}
            isFocused={focused === question.question}
          />
        </CardBoundary>
      ))}
    </>
  )
}

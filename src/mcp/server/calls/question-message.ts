import { limits } from "../../../contract/index.ts"
import { groupDigits } from "../../../kit/index.ts"
import { type ApprovalRequest, describeBriefly } from "../../../runtime/index.ts"
import type { Artifacts } from "../../../store/index.ts"
import { artifactLink } from "./artifact-resources.ts"

/** What a person is shown of a question, until the call has ended. */
export interface QuestionMessage {
  readonly text: string
  readonly forget: () => Promise<void>
}

/** All of it where it fits into a message; otherwise the whole is an artifact, and the message says which. */
export async function questionMessage(
  request: ApprovalRequest,
  artifacts: Artifacts,
): Promise<QuestionMessage> {
  const { question, callId } = request
  if (question.length <= limits.question.messageCharacters) {
    return { text: question, forget: async () => {} }
  }
  const artifact = await artifacts.keep({
    filename: `question-${callId}.txt`,
    mimeType: "text/plain",
    content: new TextEncoder().encode(question),
  })
  const { uri } = artifactLink(artifact)
  const size = `${groupDigits(question.length)} characters`
  const where = `This is a part. The whole question, ${size}, is the resource ${uri} and the file ${artifact.path}`
  return {
    text: describeBriefly(request, where),
    forget: () => artifacts.remove(artifact.id),
  }
}

import { ToolFailure } from "../../../../contract/index.ts"
import { errorText } from "../../../../kit/index.ts"
import { permanentFailure } from "../../../host/unsupported.ts"
import { kubernetesLimits } from "../../../limits.ts"

/** What the API server answered in the place of what was asked for. */
export class ClusterRefusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** The reason in an answer of the API server, of a node behind it, or of a proxy before it. */
export function refusalOf(status: number, body: string): ClusterRefusal {
  let message = body
  try {
    const answer: unknown = JSON.parse(body)
    if (typeof answer === "object" && answer && "message" in answer) message = `${answer.message}`
  } catch {
    // Not every answer is the API server's.
  }
  const line = message.trim().replaceAll(/\s+/g, " ").slice(0, kubernetesLimits.reasonCharacters)
  return new ClusterRefusal(status, line || `HTTP ${status}`)
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ClusterRefusal && error.status === 404
}

/** What a request failed with, as a sentence that says what to do. */
export function clusterFailure(cause: unknown, shown: string): ToolFailure {
  if (cause instanceof ToolFailure) return cause
  if (!(cause instanceof ClusterRefusal)) {
    return new ToolFailure(
      {
        kind: "unavailable",
        message: `The Kubernetes API server does not answer (${shown}): ${errorText(cause)}.`,
      },
      { cause },
    )
  }
  const { status, message } = cause
  if (status === 401) {
    return permanentFailure(
      `The cluster does not accept these credentials (${shown}): the token may have expired. Log in to the cluster again.`,
      { cause },
    )
  }
  if (status === 429 || status >= 500) {
    return new ToolFailure(
      { kind: "unavailable", message: `The cluster can't do it now: ${message}` },
      { cause },
    )
  }
  const remedy = / cannot \w+ resource /.test(message)
    ? " `toolkeep kubernetes role` prints a Role with all rights that are needed."
    : ""
  return permanentFailure(
    `The cluster refused: ${message}${/[.!]$/.test(message) ? "" : "."}${remedy}`,
    {
      cause,
    },
  )
}

import { ToolFailure } from "../../../contract/index.ts"
import { errorText } from "../../../kit/index.ts"
import { permanentFailure } from "../../host/unsupported.ts"
import { dockerLimits } from "../../limits.ts"

/** What a call to the engine failed with; null when the engine gave no answer at all. */
export function statusOf(error: unknown): number | null {
  if (!(error instanceof Error) || !("statusCode" in error)) return null
  return typeof error.statusCode === "number" ? error.statusCode : null
}

/** On one line. Some engines repeat all they were given: what went wrong is said before and after that. */
export function reasonOf(error: unknown): string {
  const line = errorText(error).trim().replaceAll(/\s+/g, " ")
  const half = dockerLimits.reasonCharacters / 2
  return line.length <= 2 * half ? line : `${line.slice(0, half)} … ${line.slice(-half)}`
}

/** Whether a failure of this file says that the engine gave no answer. */
export function isUnreachable(failure: unknown): boolean {
  return failure instanceof ToolFailure && statusOf(failure.cause) === null
}

export function engineFailure(error: unknown, socketPath: string): ToolFailure {
  const reason = reasonOf(error)
  if (statusOf(error) !== null) {
    return permanentFailure(`The container engine refused: ${reason}`, { cause: error })
  }
  return new ToolFailure(
    {
      kind: "unavailable",
      message: `The container engine does not answer at ${socketPath}: ${reason}. Start Docker or Podman, or use another host.`,
    },
    { cause: error },
  )
}

/** Parts between single slashes, none of which leads upwards: only such a name becomes a part of an address or a command. */
export const imageName = /^\w[\w.:@-]*(\/\w[\w.:@-]*)*$/

/** `program`: what pulls an image, "docker" or "podman". */
export function noSuchImage(image: string, known: readonly string[], program: string): ToolFailure {
  const remedy = imageName.test(image) ? `: run "${program} pull ${image}" first` : ""
  return new ToolFailure({
    kind: "invalid_args",
    message: `The container engine has no image ${JSON.stringify(image)}, and none is pulled${remedy}.`,
    field: "image",
    expected: known.length > 0 ? `one of: ${known.join(", ")}` : "an image; the engine has none",
  })
}

/** Neither the engine nor the image says why. */
export function notStarted(image: string): ToolFailure {
  return permanentFailure(
    `The agent did not start in a container of the image ${JSON.stringify(image)}; the engine has to start it with seccomp and no-new-privileges.`,
  )
}

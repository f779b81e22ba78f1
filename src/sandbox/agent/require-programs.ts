import type { Readable } from "node:stream"
import { ToolFailure } from "../../contract/index.ts"

const programs =
  "basename cat chmod cp dirname env find grep head install mkdir mktemp mv realpath rm rmdir stat tail tar"

/** One of each package whose other makes lack options that are used here. */
const ofGnu = "cp find tar"

/**
 * What the file operations are made of, looked for in an image before the agent starts. On one line, as
 * the agent is.
 */
export const requirePrograms = [
  `for toolkeep_io in ${programs}; do type -P $toolkeep_io >/dev/null ||`,
  '{ echo "It has no $toolkeep_io."; exit 1; }; done;',
  `for toolkeep_io in ${ofGnu}; do [[ $($toolkeep_io --version 2>/dev/null) == *GNU* ]] ||`,
  '{ echo "Its $toolkeep_io is not that of GNU."; exit 1; }; done;',
].join(" ")

/** An image that no agent can work in, and what it lacks. */
export function unfitImage(image: string, reason: string): ToolFailure {
  return new ToolFailure({
    kind: "invalid_args",
    message: `No sandbox can be made of the image ${JSON.stringify(image)}: ${reason}`,
    field: "image",
    expected:
      "an image with bash as /bin/bash, grep, and GNU's coreutils, findutils and tar, for this machine's processor",
  })
}

const complaintCharacters = 500

/** What is said first: a complaint, when the agent can't start. */
export function keepComplaint(answers: Readable): () => string {
  let kept = ""
  const keep = (text: string) => {
    kept = (kept + text).slice(0, complaintCharacters)
    if (kept.length === complaintCharacters || kept.startsWith("ready")) answers.off("data", keep)
  }
  answers.on("data", keep)
  return () => kept.trim()
}

import type { Readable } from "node:stream"
import { ToolFailure } from "../../../contract/index.ts"
import { injectedPaths } from "../../programs/inject-programs.ts"

/** The programs that the agent and the file operations use. */
export const agentPrograms = [
  ...[
    "bash",
    "basename",
    "cat",
    "chmod",
    "cp",
    "dirname",
    "env",
    "find",
    "grep",
    "head",
    "install",
  ],
  ...["mkdir", "mktemp", "mv", "realpath", "rm", "rmdir", "stat", "tail", "tar"],
]

/** One of each package whose other makes lack options that are used here. */
const ofGnu = "cp find tar"

/** Scripts that start with this find the injected programs first; no others do. */
export const injectedFirst = `PATH=${injectedPaths.programs}:$PATH`

/**
 * What is needed, looked for in an image before the agent starts. On one line, as the agent is, and in a
 * shell of its own, so that the agent's does not change.
 */
export const requirePrograms = [
  `( ${injectedFirst}; for name in ${agentPrograms.join(" ")}; do type -P $name >/dev/null ||`,
  '{ echo "It has no $name."; exit 1; }; done;',
  `for name in ${ofGnu}; do [[ $($name --version 2>/dev/null) == *GNU* ]] ||`,
  '{ echo "Its $name is not that of GNU."; exit 1; }; done ) || exit 1;',
].join(" ")

/**
 * With an injected bash an agent runs in anything, also in an image for another processor, where nothing else
 * would.
 */
export const requireImage = [
  "/bin/sh -c : 2>/dev/null || { echo 'It has no /bin/sh that runs here.'; exit 1; };",
  requirePrograms,
].join(" ")

/** An image that no agent can work in. */
export class UnfitImage extends ToolFailure {
  /** What is missing is not bash itself. */
  readonly hasBash: boolean

  constructor(image: string, reason: string, { hasBash = false } = {}) {
    super({
      kind: "invalid_args",
      message: `No sandbox can be created from the image ${JSON.stringify(image)}: ${reason}`,
      field: "image",
      expected:
        "an image with a /bin/sh for this machine's processor; bash and GNU's programs are lent to one that lacks them, where this machine has them",
    })
    this.hasBash = hasBash
  }
}

const complaintCharacters = 500

/** What is said first: a complaint, when the agent can't start. */
export function keepComplaint(answers: Readable): () => string {
  let text = ""
  const collect = (chunk: string) => {
    text = (text + chunk).slice(0, complaintCharacters)
    if (text.length === complaintCharacters || text.startsWith("ready"))
      answers.off("data", collect)
  }
  answers.on("data", collect)
  return () => text.trim()
}

import { type FailureKind, ToolFailure } from "../../contract/index.ts"

/** The ways a sandbox's file operation can fail, the same on every host. */
const codes = {
  "not-found": { kind: "not_found", says: "does not exist" },
  "is-directory": { kind: "invalid_args", says: "is a directory, not a file" },
  "not-directory": { kind: "invalid_args", says: "is not a directory" },
  "not-file": { kind: "invalid_args", says: "is not a regular file" },
  outside: { kind: "invalid_args", says: "leads outside the workspace" },
  denied: { kind: "execution_error", says: "is not permitted" },
  "no-space": { kind: "execution_error", says: "does not fit: no space is left" },
  "name-too-long": { kind: "invalid_args", says: "has a name that is too long" },
  "link-loop": { kind: "invalid_args", says: "is a chain of links that never ends" },
  "not-empty": { kind: "invalid_args", says: "is a directory with something in it" },
  "into-itself": { kind: "invalid_args", says: "can't be put into itself" },
  failed: { kind: "execution_error", says: "could not be used" },
} as const satisfies Record<string, { kind: FailureKind; says: string }>

export type WorkspaceErrorCode = keyof typeof codes

export class WorkspaceError extends ToolFailure {
  override readonly name = "WorkspaceError"
  readonly code: WorkspaceErrorCode
  readonly path: string

  /** `why` is a sentence more, for people. */
  constructor(
    code: WorkspaceErrorCode,
    path: string,
    { why, ...options }: ErrorOptions & { readonly why?: string } = {},
  ) {
    const message = `${JSON.stringify(path)} ${codes[code].says}.`
    super(
      { kind: codes[code].kind, message: why === undefined ? message : `${message} ${why}` },
      options,
    )
    this.code = code
    this.path = path
  }
}

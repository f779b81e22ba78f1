/** Which engine answers. */
export interface EngineIdentity {
  readonly name: "Docker" | "Podman"
  readonly version: string
}

/** What an engine says of itself when it is asked for its version. */
export interface EngineVersion {
  readonly Version?: string
  readonly Components?: readonly { readonly Name?: string }[]
}

/** Podman answers as Docker would, but for the names of its parts. */
export function identify({ Version = "", Components }: EngineVersion): EngineIdentity {
  const isPodman = Components?.some(({ Name }) => Name === "Podman Engine") ?? false
  return { name: isPodman ? "Podman" : "Docker", version: Version }
}

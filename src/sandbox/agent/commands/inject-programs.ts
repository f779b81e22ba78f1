import { injectPrograms } from "../../programs/inject-programs.ts"
import { agentPrograms, UnfitImage } from "./require-programs.ts"

/** Programs of this machine that an image is given for the agent's work. */
export interface InjectedPrograms {
  /** Where they are on this machine. */
  readonly directory: string
  /** The image has no bash of its own: every command uses the injected one. */
  readonly withBash: boolean
}

export interface ProgramInjector {
  /** Starts an agent with what the image has, and with injected programs where that is not enough. */
  start<Started>(
    image: string,
    start: (injected: InjectedPrograms | null) => Promise<Started>,
  ): Promise<Started>
}

export interface ProgramInjectorOptions {
  /** Where injected programs are stored. */
  readonly directory: string
  /** Where programs of this machine are looked for. */
  readonly path: string
}

/** Only trying tells what an image has; what was found out about one is remembered. */
export function createProgramInjector({
  directory,
  path,
}: ProgramInjectorOptions): ProgramInjector {
  const needing = new Map<string, InjectedPrograms>()

  async function inject(refusal: unknown): Promise<InjectedPrograms> {
    if (!(refusal instanceof UnfitImage)) throw refusal
    try {
      const programs = await injectPrograms(directory, agentPrograms, path)
      return { directory: programs, withBash: !refusal.hasBash }
    } catch (cause) {
      refusal.cause ??= cause
      throw refusal
    }
  }

  return {
    async start(image, start) {
      const known = needing.get(image)
      if (known) return start(known)
      try {
        return await start(null)
      } catch (error) {
        const injected = await inject(error)
        const started = await start(injected)
        needing.set(image, injected)
        return started
      }
    },
  }
}

import { kubernetesManifest, kubernetesRole } from "../../sandbox/index.ts"
import { tryNetworks, version } from "../../session/index.ts"
import { type CommandRun, UsageError } from "../flags/command.ts"

/** `toolkeep kubernetes role`, `manifest` and `networks`. */
export const kubernetes: CommandRun = async (given, terminal) => {
  const [what = ""] = given.positionals
  const answer = Object.hasOwn(answers, what) ? answers[what] : undefined
  if (!answer) {
    const known = Object.keys(answers).join(", ")
    throw new UsageError(`kubernetes has nothing called ${JSON.stringify(what)}; it has: ${known}`)
  }
  const { text, exitCode = 0 } = await answer()
  await terminal.printAnswer(text)
  return exitCode
}

interface Answer {
  readonly text: string
  readonly exitCode?: number
}

const answers: Readonly<Record<string, () => Answer | Promise<Answer>>> = {
  role: () => ({ text: kubernetesRole() }),
  manifest: () => ({ text: kubernetesManifest(version) }),
  async networks() {
    const { cluster, closed, problem } = await tryNetworks()
    if (problem !== null) return { text: `${problem} (${cluster})\n`, exitCode: 1 }
    const shown = `a closed pod reaches no other pod, nor ${closed.join(", ")}`
    return {
      text: `Sandboxes can have the networks none and allow-list: ${shown} (${cluster}).\n`,
    }
  },
}

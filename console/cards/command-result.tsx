import type { CommandView } from "../model/result-view.ts"
import { AnsiText } from "../parts/text/ansi-text.tsx"

/** What a command printed and how it ended. */
export function CommandResult({ command }: { readonly command: CommandView }) {
  const { stdout, stderr, value } = command
  return (
    <div class="command">
      <Stream name="Output" text={stdout} />
      <Stream name="Errors" text={stderr} />
      {value !== null && <Stream name="Value" text={value} />}
      {stdout === "" && stderr === "" && value === null && <p class="quiet">No output.</p>}
      <EndText command={command} />
    </div>
  )
}

function Stream({ name, text }: { readonly name: string; readonly text: string }) {
  if (text === "") return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <pre tabIndex={0} class={name === "Errors" ? "stream errors" : "stream"} data-stream={name}>
      <AnsiText text={text} />
    </pre>
  )
}

/** How it ended, where that is worth a word. */
function EndText({ command }: { readonly command: CommandView }) {
  const text = endText(command)
  return text === "" ? null : <p class="quiet">{text}</p>
}

function endText({ exitCode, isKilled, isTimedOut, bytesCut }: CommandView): string {
  const parts = [
    exitCode !== 0 && `exit code ${exitCode}`,
    isKilled && "ended by a person",
    isTimedOut && "ended by its timeout",
    bytesCut > 0 && `${bytesCut} bytes left out`,
  ]
  return parts.filter((part) => part !== false).join(", ")
}

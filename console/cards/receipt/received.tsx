import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { fieldOf, listOf, textOf } from "../../model/read-field.ts"
import { failureText } from "../../parts/action.tsx"
import { ShownJson, ShownText } from "../../parts/text/shown-text.tsx"
import { client } from "../../state/client.ts"

interface ReceivedProps {
  readonly session: string
  readonly call: string
}

/** The answer as the client got it, which is not the envelope where the client speaks MCP. */
export function Received({ session, call }: ReceivedProps) {
  const received = useSignal<unknown>(undefined)
  useEffect(() => {
    const ended = new AbortController()
    const ask = async () => {
      const answer = await client().request("calls.received", { session, call }, ended)
      received.value = answer.received
    }
    ask().catch((error: unknown) => {
      if (!ended.signal.aborted) received.value = { unknown: failureText(error) }
    })
    return () => ended.abort()
  }, [session, call])
  if (received.value === undefined) return null
  if (received.value === null) {
    return (
      <p class="quiet">
        It has no other form: programs and the HTTP API get the envelope itself, and what the model
        of a run got is in its conversation.
      </p>
    )
  }
  const unknown = textOf(received.value, "unknown")
  if (unknown !== null) {
    return <p class="quiet">What the MCP client got is not known. {unknown}</p>
  }
  const dialect = textOf(received.value, "dialect")
  const result = fieldOf(received.value, "result")
  const structured = fieldOf(result, "structuredContent")
  return (
    <details class="received">
      <summary>
        As the MCP client got it, as {textOf(received.value, "form")}
        {dialect !== null && ` in the words of ${dialect}`}
      </summary>
      {fieldOf(result, "isError") === true && <p class="quiet">Marked as an error.</p>}
      {listOf(result, "content").map((block, index) => (
        <Block key={index} block={block} />
      ))}
      {structured !== undefined && (
        <>
          <p class="quiet">Structured content</p>
          <ShownJson value={structured} />
        </>
      )}
    </details>
  )
}

function Block({ block }: { readonly block: unknown }) {
  const text = textOf(block, "type") === "text" ? textOf(block, "text") : null
  if (text === null) return <ShownJson value={block} />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <pre tabIndex={0} class="stream">
      <ShownText text={text} />
    </pre>
  )
}

import { useEffect, useRef } from "preact/hooks"
import { openEditor } from "./open-editor.ts"

interface CodeEditorProps {
  /** The name of the file, which tells its language. */
  readonly name: string
  readonly text: string
  readonly onChange: (text: string) => void
}

/**
 * In a shadow tree: there CodeMirror styles itself by sheets that a script constructs, which the page's policy allows,
 * instead of by style elements, which it does not.
 */
export function CodeEditor({ name, text, onChange }: CodeEditorProps) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const host = element.current
    if (!host) return
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" })
    const view = openEditor({ root, name, text, onChange })
    return () => view.destroy()
  }, [name, text])
  return <div class="editor" ref={element} />
}

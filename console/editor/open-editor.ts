import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { css } from "@codemirror/lang-css"
import { html } from "@codemirror/lang-html"
import { javascript } from "@codemirror/lang-javascript"
import { json } from "@codemirror/lang-json"
import { markdown } from "@codemirror/lang-markdown"
import { python } from "@codemirror/lang-python"
import { yaml } from "@codemirror/lang-yaml"
import { bracketMatching, HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import { searchKeymap } from "@codemirror/search"
import { EditorState, type Extension } from "@codemirror/state"
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view"
import { tags } from "@lezer/highlight"
import { unseenCharacters } from "./unseen-characters.ts"

interface EditorOptions {
  readonly root: ShadowRoot
  readonly name: string
  readonly text: string
  readonly onChange: (text: string) => void
}

const languages: Readonly<Record<string, () => Extension>> = {
  css,
  html,
  js: javascript,
  json,
  jsx: () => javascript({ jsx: true }),
  md: markdown,
  mjs: javascript,
  py: python,
  svg: html,
  ts: () => javascript({ typescript: true }),
  tsx: () => javascript({ typescript: true, jsx: true }),
  yaml,
  yml: yaml,
}

export function openEditor({ root, name, text, onChange }: EditorOptions): EditorView {
  const language = languages[name.slice(name.lastIndexOf(".") + 1).toLowerCase()]
  return new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        highlightSpecialChars({ addSpecialChars: unseenCharacters }),
        bracketMatching(),
        syntaxHighlighting(colours),
        look,
        // Tab leaves the editor, as it leaves every other field.
        keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": `Content of ${name}` }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (docChanged) onChange(state.doc.toString())
        }),
        ...(language ? [language()] : []),
      ],
    }),
  })
}

/** The page's variables reach into a shadow tree. */
const look = EditorView.theme({
  "&": { fontSize: "0.87rem", backgroundColor: "var(--raised)", color: "var(--text)" },
  "&.cm-focused": { outline: "2px solid var(--accent)" },
  ".cm-scroller": { fontFamily: "var(--mono)" },
  ".cm-gutters": { backgroundColor: "var(--ground)", color: "var(--quiet)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  ".cm-panels": { backgroundColor: "var(--ground)", color: "var(--text)" },
})

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.regexp], color: "var(--good)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--warn)" },
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.attributeName], color: "var(--accent)" },
  { tag: tags.heading, fontWeight: "bold" },
  { tag: tags.invalid, color: "var(--bad)" },
])

import { effect } from "@preact/signals"
import { render } from "preact"
import { App } from "./app.tsx"
import { noteTyping } from "./navigation/typed.ts"
import { page, signIn } from "./state/client.ts"
import { watchQuestions } from "./state/questions.ts"
import { watchSessions } from "./state/sessions.ts"
import { applyTheme } from "./state/theme.ts"
import "./styles/base.css"
import "./styles/layout.css"
import "./styles/cards.css"
import "./styles/session.css"
import "./styles/replay.css"
import "./styles/text.css"
import "./styles/views.css"

let stopWatching: (() => void) | null = null

// What every view shows is followed for as long as a device is signed in, also while the server can't be reached.
effect(() => {
  const { kind } = page.value
  const isSignedIn = kind === "live" || kind === "offline"
  if (isSignedIn && !stopWatching) {
    const stops = [watchSessions(), watchQuestions()]
    stopWatching = () => {
      for (const stop of stops) stop()
    }
  }
  if (!isSignedIn && stopWatching) {
    stopWatching()
    stopWatching = null
  }
})

// A link that is opened in a tab of the console changes only the end of its address.
addEventListener("hashchange", () => void signIn())

applyTheme()
noteTyping()
render(<App />, document.body)
await signIn()

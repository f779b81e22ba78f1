import { effect } from "@preact/signals"
import { render } from "preact"
import { page, signIn } from "../state/client.ts"
import { applyTheme } from "../state/theme.ts"
import { followPattern } from "./follow-pattern.ts"
import { PatternPage } from "./pattern-page.tsx"
import "../styles/base.css"
import "../styles/pattern.css"

const pattern = decodeURIComponent(location.pathname.replace(/^\/p\//, ""))
let stopFollowing: (() => void) | null = null

effect(() => {
  const { kind } = page.value
  const isSignedIn = kind === "live" || kind === "offline"
  if (isSignedIn) stopFollowing ??= followPattern(pattern)
  else {
    stopFollowing?.()
    stopFollowing = null
  }
})

addEventListener("hashchange", () => void signIn())
applyTheme()
render(<PatternPage />, document.body)
await signIn()

import type { ComponentChildren } from "preact"
import { LocationProvider, lazy, Route, Router } from "preact-iso"
import { Clock } from "./parts/time.tsx"
import { page } from "./state/client.ts"
import { questions } from "./state/questions.ts"
import { Now } from "./views/now.tsx"
import { SessionView } from "./views/session.tsx"
import { SignedOut } from "./views/signed-out.tsx"
import { Waiting } from "./views/waiting.tsx"

const Settings = lazy(() => import("./views/settings.tsx").then(({ Settings }) => Settings))

export function App() {
  switch (page.value.kind) {
    case "starting":
      return <main class="starting" aria-busy="true" />
    case "signed-out":
      return <SignedOut why={page.value.why} />
    case "live":
    case "offline":
      return (
        <LocationProvider>
          <div class="shell">
            <Navigation />
            <Offline />
            <main id="main">
              <Router>
                <Route path="/" component={Now} />
                <Route path="/waiting" component={Waiting} />
                <Route path="/s/:session" component={SessionView} />
                <Route path="/settings" component={Settings} />
                <Route default component={NoSuchPage} />
              </Router>
            </main>
          </div>
        </LocationProvider>
      )
    default:
      return page.value satisfies never
  }
}

function Navigation() {
  const waiting = questions.value.length
  return (
    <nav aria-label="Views">
      <Link to="/">Now</Link>
      <Link to="/waiting">Waiting {waiting > 0 && <span class="count">{waiting}</span>}</Link>
      <Link to="/settings">Settings</Link>
    </nav>
  )
}

function Link({ to, children }: { readonly to: string; readonly children: ComponentChildren }) {
  return <a href={to}>{children}</a>
}

function Offline() {
  const state = page.value
  if (state.kind !== "offline") return null
  return (
    <p class="offline" role="status">
      Offline since <Clock ms={state.sinceMs} />. What is shown stays readable; the page catches up
      by itself.
    </p>
  )
}

function NoSuchPage() {
  return (
    <section class="empty">
      <h1>There is no such page</h1>
      <a href="/">Go to what happens now</a>
    </section>
  )
}

import { LocationProvider, lazy, Route, Router } from "preact-iso"
import { Navigation } from "./navigation/navigation.tsx"
import { PageKeys } from "./navigation/page-keys.tsx"
import { PageStatus } from "./navigation/page-status.tsx"
import { page } from "./state/client.ts"
import { Now } from "./views/now.tsx"
import { SessionView } from "./views/session.tsx"
import { SignedOut } from "./views/signed-out.tsx"
import { Waiting } from "./views/waiting.tsx"

const Settings = lazy(() => import("./views/settings/settings.tsx").then((view) => view.Settings))
const Try = lazy(() => import("./views/try/try.tsx").then((view) => view.Try))
const Sandboxes = lazy(() => import("./views/sandbox/sandboxes.tsx").then((view) => view.Sandboxes))
const SandboxView = lazy(() =>
  import("./views/sandbox/sandbox.tsx").then((view) => view.SandboxView),
)
const ReplayView = lazy(() => import("./views/replay/replay.tsx").then((view) => view.ReplayView))
const Policy = lazy(() => import("./views/policy/policy.tsx").then((view) => view.Policy))
const ChangesView = lazy(() => import("./views/changes.tsx").then((view) => view.ChangesView))
const Hosts = lazy(() => import("./views/hosts.tsx").then((view) => view.Hosts))

export function App() {
  switch (page.value.kind) {
    case "starting":
      return <Starting />
    case "signed-out":
      return <SignedOut why={page.value.why} />
    case "live":
    case "offline":
      return (
        <LocationProvider>
          <div class="shell">
            <Navigation />
            <PageStatus />
            <main id="main">
              <Router>
                <Route path="/" component={Now} />
                <Route path="/waiting" component={Waiting} />
                <Route path="/s/:session" component={SessionView} />
                <Route path="/s/:session/at/:entry" component={ReplayView} />
                <Route path="/s/:session/changes" component={ChangesView} />
                <Route path="/b" component={Sandboxes} />
                <Route path="/b/:session/:sandbox" component={SandboxView} />
                <Route path="/try" component={Try} />
                <Route path="/policy" component={Policy} />
                <Route path="/hosts" component={Hosts} />
                <Route path="/settings" component={Settings} />
                <Route default component={NoSuchPage} />
              </Router>
            </main>
          </div>
          <PageKeys />
        </LocationProvider>
      )
    default:
      return page.value satisfies never
  }
}

/** Shown only to those who have to wait (layout.css). */
function Starting() {
  return (
    <main class="starting" aria-busy="true" aria-label="Toolkeep is starting">
      <div class="skeleton" />
      <div class="skeleton" />
      <div class="skeleton" />
    </main>
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

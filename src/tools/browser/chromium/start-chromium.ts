import { randomBytes } from "node:crypto"
import { access, constants, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext } from "playwright-core"
import type { Settings } from "../../../config/index.ts"
import { configLimits } from "../../../config/index.ts"
import { ToolFailure } from "../../../contract/index.ts"
import {
  createEgressGuard,
  createLimitedGroup,
  type EgressProxy,
  type LimitedGroup,
} from "../../../sandbox/index.ts"
import { browserLimits } from "../../limits.ts"
import type { SessionPreviews } from "../../session-previews.ts"
import type { PageEvents } from "../page/page-events.ts"
import { within } from "../page/within.ts"
import { findChromium } from "./find-chromium.ts"

export interface Chromium {
  readonly context: BrowserContext
  /** Where it writes what is downloaded. */
  readonly downloads: string
  /** False once it has crashed or was closed. */
  isRunning(): boolean
  /** How often something in it was ended because it took more memory than it may. */
  memoryKills(): number
  close(): Promise<void>
}

export interface ChromiumOptions {
  readonly settings: Settings
  readonly previews: SessionPreviews
  readonly events: PageEvents
  readonly signal: AbortSignal
  /** Stands in for the world in tests. */
  readonly dialer?: Parameters<typeof createEgressGuard>[1]
}

/**
 * What would change a page's address, or make Chromium ask servers of its own. In place of Playwright's
 * list of the same kind: of two, Chromium reads the last.
 */
const unusedFeatures = [
  ...["HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "PaintHolding", "LensOverlay"],
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "MediaRouter"],
  ...["ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect", "Translate"],
  ...["OptimizationHints", "OptimizationGuideModelDownloading", "NetworkTimeServiceQuerying"],
  ...["AutofillServerCommunication", "PreconnectToSearch", "AimEnabled"],
]

/**
 * Every connection goes through the proxy, also to this machine, and names are looked up only there:
 * what looks up or connects by itself (prefetching, QUIC, WebRTC) finds nothing.
 */
const networkArguments = [
  "--proxy-bypass-list=<-loopback>",
  "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
  "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--webrtc-ip-handling-policy=disable_non_proxied_udp",
  "--disable-quic",
  "--dns-prefetch-disable",
  "--no-pings",
  `--disable-features=${unusedFeatures.join()}`,
]

/** Playwright trusts the pages it tests; these are anyone's, and keep Chromium's own brakes. */
const trustingArguments = [
  "--disable-popup-blocking",
  "--disable-ipc-flooding-protection",
  "--enable-unsafe-swiftshader",
  "--unsafely-disable-devtools-self-xss-warnings",
]

/** A browser with nothing in it, which ends with this process: its commands come through a pipe. */
export async function startChromium(options: ChromiumOptions): Promise<Chromium> {
  const directory = await mkdtemp(join(shortDirectory(), "toolkeep-browser-"))
  const credentials = { username: "toolkeep", password: randomBytes(24).toString("base64url") }
  let proxy: EgressProxy | undefined
  let browser: Browser | undefined
  const group = createLimitedGroup("browser", {
    memoryBytes: browserMemoryBytes(options.settings),
    processes: browserLimits.threads,
    processors: browserLimits.processors,
  })
  const close = async () => {
    await within(browser?.close() ?? Promise.resolve(), { ms: browserLimits.closeMs }).catch(
      () => {},
    )
    await proxy?.close()
    // What does not end is the kernel's to end, and the next start's to remove.
    await group?.remove().catch(() => {})
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    proxy = await openProxy(options, credentials)
    browser = await launch(options, { directory, proxy, credentials, group })
    const context = await browser.newContext({
      acceptDownloads: true,
      serviceWorkers: "block",
      permissions: [],
      viewport: browserLimits.viewport,
    })
    const running = browser
    const downloads = join(directory, "downloads")
    return {
      context,
      downloads,
      isRunning: () => running.isConnected(),
      memoryKills: () => group?.memoryKills() ?? 0,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Chromium ends at once where the path of a socket that it makes, 70 characters further down, is longer than a socket's may be. */
function shortDirectory(): string {
  const longest = 107 - 70
  return Buffer.byteLength(tmpdir()) <= longest ? tmpdir() : "/tmp"
}

function openProxy(options: ChromiumOptions, credentials: Credentials) {
  const { settings, previews, events, dialer } = options
  return createEgressGuard(settings.network, dialer).openProxy({
    credentials,
    // Servers in this session's own sandboxes, whose addresses only the session knows.
    trusts: ({ host, port }) => previews.gave(host, port),
    onRefusal({ host, port }, connection) {
      const place = `${host}:${port}`
      if (connection.kind === "failed") {
        events.refused({ kind: "failed", place, reason: connection.reason })
      } else {
        const kind = connection.because === "lookup" ? "failed" : "refused"
        events.refused({ kind, place, reason: connection.rule })
      }
    },
  })
}

interface Credentials {
  readonly username: string
  readonly password: string
}

interface LaunchDeps {
  readonly directory: string
  readonly proxy: EgressProxy
  readonly credentials: Credentials
  readonly group: LimitedGroup | null
}

export function browserMemoryBytes({ browser }: Settings): number {
  return browser?.memory_mb === undefined
    ? configLimits.browserMemoryBytes
    : browser.memory_mb * 2 ** 20
}

async function launch(
  { settings, signal }: ChromiumOptions,
  { directory, proxy, credentials, group }: LaunchDeps,
): Promise<Browser> {
  const found = findChromium(settings.browser?.executable)
  if (found === null) throw notStarted("it is not installed")
  const executablePath = await limitedProgram(found, directory, group)
  const home = join(directory, "home")
  const downloadsPath = join(directory, "downloads")
  await Promise.all([mkdir(home), mkdir(downloadsPath)])
  const { chromium } = await import("playwright-core")
  const launching = chromium.launch({
    executablePath,
    // Chromium's own sandbox refuses to be started by root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: networkArguments,
    ignoreDefaultArgs: trustingArguments,
    proxy: { server: `http://127.0.0.1:${proxy.port}`, ...credentials },
    // Nothing of this process's environment: it holds keys.
    env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8", TMPDIR: directory },
    downloadsPath,
    artifactsDir: directory,
    timeout: browserLimits.startMs,
    // Toolkeep decides itself what a signal ends.
    ...{ handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false },
  })
  try {
    return await within(launching, { ms: browserLimits.startMs, signal })
  } catch (error) {
    // One that comes up after all has nobody to close it.
    launching.then((late) => late.close()).catch(() => {})
    signal.throwIfAborted()
    throw notStarted(error instanceof Error ? error.message : String(error))
  }
}

/** The program itself where it can't be limited, also because nothing in the directory may be executed. */
async function limitedProgram(
  program: string,
  directory: string,
  group: LimitedGroup | null,
): Promise<string> {
  if (!group) return program
  const path = join(directory, "start")
  await writeFile(path, group.script(program), { mode: 0o755 })
  return access(path, constants.X_OK).then(
    () => path,
    () => program,
  )
}

function notStarted(reason: string): ToolFailure {
  const [first = ""] = reason.split("\n")
  return new ToolFailure({
    kind: "unavailable",
    message: `Chromium could not be started: ${first.slice(0, browserLimits.shownCharacters)}. Run it by hand to see why, or set browser.executable in toolkeep.yaml.`,
  })
}

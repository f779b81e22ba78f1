import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { repositoryRoot } from "../../scripts/repository.ts"
import { openDevPattern } from "../../src/cli/dev/dev-pattern.ts"
import { createPatternPages, createQuestions, PatternPage, serveApi } from "../../src/http/index.ts"
import { systemClock } from "../../src/kit/index.ts"
import { loadPatternLoader, type RunOptions, type SourceProblem } from "../../src/reactive/index.ts"
import { createPreviewHub } from "../../src/sandbox/index.ts"
import { createHomeRecord, openToolkeep, type Session } from "../../src/session/index.ts"
import { makeBusyboxRoot } from "../images/busybox-root.ts"
import { openBrowser, openPage, type WatchedPage } from "../support/open-browser.ts"
import { fixed, openWeb } from "../support/tools/web-fixture.ts"
import { standInPrograms } from "./stand-in-programs.ts"

/** Patterns as `toolkeep dev` runs them, on bubblewrap sandboxes, and a real browser. */
export interface PatternFixture extends AsyncDisposable {
  readonly url: string
  readonly token: string
  readonly session: Session
  /** What was reported to the terminal. */
  readonly problems: SourceProblem[]
  /** Where the patterns of tests are written. */
  readonly directory: string
  /** Runs a pattern of a file, or of its text. Its address is the file's name. */
  start(
    file: string,
    inputs?: Record<string, unknown>,
    more?: Partial<RunOptions>,
  ): Promise<Started>
  /** Writes a pattern, or changes it. */
  write(name: string, text: string): Promise<string>
  /** A page of a signed-in browser, at another port where one leads here. */
  open(address: string, port?: string): Promise<WatchedPage>
  /** The same by a link that signs in. */
  browse(link: string): Promise<WatchedPage>
}

export interface Started extends AsyncDisposable {
  readonly address: string
}

/** What the patterns of the document ask of the outside network. */
const outside: Readonly<Record<string, ReturnType<typeof fixed>>> = {
  "/repos/toolkeep/toolkeep": fixed(
    '{"name":"toolkeep","stargazers_count":4321}',
    "application/json",
  ),
  "/data.csv": fixed("city,people\nBerlin,3\nParis,2\n", "text/csv"),
}

export async function openPatterns(): Promise<PatternFixture> {
  const home = await mkdtemp(join(tmpdir(), "toolkeep-patterns-"))
  await chmod(home, 0o755)
  const root = await makeBusyboxRoot(join(home, "root"))
  for (const [name, script] of Object.entries(standInPrograms)) {
    await writeFile(join(root, "usr/bin", name), script, { mode: 0o755 })
  }
  const directory = join(home, "patterns")
  await mkdir(directory)
  const web = await openWeb(outside)
  const images = {
    "python:3.12": "host",
    "node:22": root,
    "alpine/git": root,
    "r-base:latest": root,
  }
  const store = await createHomeRecord(home)
  const keep = await openToolkeep({
    ...{ host: "bubblewrap", images, home, record: store, settings: web.settings },
  })
  const questions = createQuestions({ store, clock: systemClock })
  const patterns = createPatternPages()
  const server = await serveApi(keep, {
    ...{ store, home, questions, previewHub: createPreviewHub(), port: 0, patterns },
  })
  const browser = await openBrowser()
  const { createPatternLoader } = await loadPatternLoader()
  const loader = await createPatternLoader()
  const session = keep.session("patterns")
  const problems: SourceProblem[] = []
  const onProblem = (problem: SourceProblem) => void problems.push(problem)
  const write = async (name: string, text: string) => {
    const file = join(directory, name)
    await writeFile(file, text)
    return file
  }
  const browse = async (link: string) => {
    const opened = await openPage(browser, link)
    await opened.page.locator("main[aria-busy=false]").waitFor()
    return opened
  }
  return {
    ...{ url: server.url, token: server.token, session, problems, directory, write },
    async start(given, inputs = {}, more = {}) {
      // Beside other files nothing else is watched.
      const file = given.startsWith("/") ? given : join(directory, basename(given))
      if (file !== given) await copyFile(join(repositoryRoot, given), file)
      const address = basename(file, ".tsx")
      const problemOf = (error: unknown) => loader.problemOf(error)
      const page = new PatternPage({
        ...{ address, file, session: session.name, problemOf, onProblem },
      })
      patterns.add(page)
      const options = { session: withStandIns(session, web.origin), ...more }
      const running = await openDevPattern({
        ...{ file, inputs, options, loader, page, onProblem, onReload: () => {} },
      })
      return { address, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
    },
    browse,
    open(address, port = new URL(server.url).port) {
      const link = `http://toolkeep.localhost:${port}/p/${address}#in-${server.signInCode()}`
      return browse(link)
    },
    async [Symbol.asyncDispose]() {
      await browser.close()
      await server.close()
      await keep.close()
      await store[Symbol.asyncDispose]()
      loader[Symbol.dispose]()
      await web[Symbol.asyncDispose]()
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** What is outside is answered by a server of this machine. */
function withStandIns(session: Session, origin: string): Session {
  const call = (tool: string, input: Readonly<Record<string, unknown>>, options: object) => {
    const url = typeof input.url === "string" ? new URL(input.url) : null
    const local = url && { url: `${origin}${url.pathname}` }
    return Reflect.apply(session.call, session, [tool, { ...input, ...local }, options])
  }
  return new Proxy(session, {
    get: (target, name) => (name === "call" ? call : Reflect.get(target, name)),
  })
}

import { createReadStream } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { basename, join } from "node:path"
import type { BrowserContext, Download, Page } from "playwright-core"
import type { Artifact, Artifacts } from "../../../store/index.ts"
import { browserLimits } from "../../limits.ts"
import type { PageEvents } from "./page-events.ts"
import { quoted } from "./page-result.ts"
import { within } from "./within.ts"

export interface DownloadDeps {
  readonly artifacts: Artifacts
  readonly events: PageEvents
  /** Where the browser writes them; nothing else is there. */
  readonly directory: string
}

/** What pages make the browser download: kept as artifacts, as long as it is neither large nor much. */
export class Downloads {
  readonly #parts: DownloadDeps
  readonly #running = new Set<Promise<void>>()
  readonly #open = new Set<Download>()
  #kept: Artifact[] = []

  constructor(context: BrowserContext, parts: DownloadDeps) {
    this.#parts = parts
    context.on("page", (page: Page) => page.on("download", (download) => this.#start(download)))
  }

  /** What was downloaded since the last time; waits for what is on its way. */
  async take(signal: AbortSignal): Promise<readonly Artifact[]> {
    if (this.#running.size > 0) {
      const waiting = { ms: browserLimits.downloadMs, signal }
      await within(Promise.all(this.#running), waiting).catch(() => signal.throwIfAborted())
      if (this.#running.size > 0) {
        this.#parts.events.add("download", "A download is still running.")
      }
    }
    const kept = this.#kept
    this.#kept = []
    return kept
  }

  #start(download: Download): void {
    const running = this.#keep(download).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #keep(download: Download): Promise<void> {
    const { events, artifacts } = this.#parts
    const name = plainName(download.suggestedFilename())
    if (this.#open.size >= browserLimits.downloads) {
      await download.cancel().catch(() => {})
      events.add("download", "The page started more downloads than allowed; not all are kept.")
      return
    }
    this.#open.add(download)
    const stop = this.#watchSize(download, name)
    try {
      const path = await download.path()
      if ((await stat(path)).size > browserLimits.downloadBytes) throw new Error("It is too large.")
      const file = { filename: name, mimeType: "application/octet-stream" }
      this.#kept.push(await artifacts.keep({ ...file, content: createReadStream(path) }))
    } catch {
      events.add("download", `The download of ${quoted(name)} was not completed.`)
    } finally {
      stop()
      this.#open.delete(download)
      await download.delete().catch(() => {})
    }
  }

  /** No header can be trusted to say how much comes, so the disk is looked at while it does. */
  #watchSize(download: Download, name: string): () => void {
    const { events, directory } = this.#parts
    const look = async () => {
      if ((await sizeOf(directory)) <= browserLimits.downloadBytes) return
      const most = `${browserLimits.downloadBytes / 1024 ** 2} MiB`
      events.add("download", `The download of ${quoted(name)} was ended: over ${most}.`)
      await download.cancel()
    }
    const timer = setInterval(() => look().catch(() => {}), browserLimits.downloadLookMs)
    return () => clearInterval(timer)
  }
}

async function sizeOf(directory: string): Promise<number> {
  const names = await readdir(directory)
  const sizes = await Promise.all(
    names.map((name) =>
      stat(join(directory, name))
        .then(({ size }) => size)
        .catch(() => 0),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** A server chooses the name: it becomes one part of a path and nothing else. */
function plainName(suggested: string): string {
  const name = basename(suggested.replaceAll("\\", "/"))
    .replace(/[^\p{L}\p{N} ._()-]/gu, "_")
    .replace(/^\.+/, "")
    .slice(-browserLimits.filenameCharacters)
  return name === "" ? "download" : name
}

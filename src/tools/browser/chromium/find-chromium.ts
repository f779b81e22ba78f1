import { delimiter, isAbsolute, join } from "node:path"
import type { Settings } from "../../../config/index.ts"
import { isProgram } from "../../../node/index.ts"
import { missingPackages } from "../../missing-packages.ts"

/** Names of Chromium on PATH; the first one found is used. */
const defaultNames = [
  "chromium",
  "chromium-browser",
  "chromium-headless-shell",
  "google-chrome-stable",
  "google-chrome",
]

const defaultPaths = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
]

/** The path of Chromium: the configured one, or else the first default that exists. Null when there is none. */
export function findChromium(configured?: string): string | null {
  if (configured !== undefined) return isProgram(configured) ? configured : null
  const directories = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute)
  const named = defaultNames.flatMap((name) =>
    directories.map((directory) => join(directory, name)),
  )
  return [...named, ...defaultPaths].find(isProgram) ?? null
}

/** For `unavailableReason`: what to install or configure before a browser can start. */
export function missingBrowser(settings: Settings["browser"] = {}): () => string | null {
  const missingPackage = missingPackages("The browser", ["playwright-core"])
  let found = false
  return () => {
    const missing = missingPackage()
    if (missing !== null) return missing
    found ||= findChromium(settings.executable) !== null
    if (found) return null
    return settings.executable === undefined
      ? "The browser needs a Chromium: run `apt-get install chromium`, or set browser.executable in toolkeep.yaml."
      : `browser.executable in toolkeep.yaml names no program: ${settings.executable}. Correct it, or remove it to have Chromium found on PATH.`
  }
}

import type { Settings } from "../../../config/index.ts"
import { missingPackages } from "../../missing-packages.ts"
import { findChromium } from "./find-chromium.ts"

/** For the browser tools' `missing`: what to install or to configure before a browser can start. */
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

import { delimiter, isAbsolute, join } from "node:path"
import { isProgram } from "../../../node/index.ts"

/** What Chromium and its kin are called on PATH, the first that is there is taken. */
const usualNames = [
  "chromium",
  "chromium-browser",
  "chromium-headless-shell",
  "google-chrome-stable",
  "google-chrome",
]

const usualPlaces = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
]

/** Where Chromium is: where the settings say, or where it usually is. Null when it is not there. */
export function findChromium(configured?: string): string | null {
  if (configured !== undefined) return isProgram(configured) ? configured : null
  const directories = (process.env.PATH ?? "").split(delimiter).filter(isAbsolute)
  const named = usualNames.flatMap((name) => directories.map((directory) => join(directory, name)))
  return [...named, ...usualPlaces].find(isProgram) ?? null
}

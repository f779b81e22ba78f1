import { limits } from "../../contract/index.ts"
import { invalidArgument } from "../arguments.ts"

const unplain = /[/\\\u0000-\u001f\u007f]/

/** The requested name of an artifact, or the failure that asks for a plain one. */
export function requireFilename(filename: string): string {
  const name = filename.trim()
  if (isPlain(name)) return name
  throw invalidArgument(
    "filename",
    "The filename is not a plain basename: it has no directories, no control characters and at most " +
      `${limits.pathPartBytes} bytes. Pass only the last part of the path, such as "report.pdf".`,
    'a plain basename, such as "report.pdf"',
  )
}

/** A file's own name, which may be anything that its sandbox's system allows. */
export function plainName(name: string): string {
  const plain = name.replaceAll(new RegExp(unplain, "g"), "_").toWellFormed()
  return isPlain(plain) ? plain : "artifact"
}

function isPlain(name: string): boolean {
  return (
    name !== "" &&
    name !== "." &&
    name !== ".." &&
    !unplain.test(name) &&
    name.isWellFormed() &&
    new TextEncoder().encode(name).length <= limits.pathPartBytes
  )
}

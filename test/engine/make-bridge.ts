import { execFile } from "node:child_process"
import { randomInt } from "node:crypto"
import { promisify } from "node:util"

const ip = async (...words: string[]) => promisify(execFile)("ip", words)

/** A network of the tests' own on this machine, which leads nowhere but to those who are on it. */
export interface Bridge extends AsyncDisposable {
  readonly name: string
}

export async function makeBridge(): Promise<Bridge> {
  const number = randomInt(256)
  const name = `toolkeep${number}`
  await ip("link", "add", name, "type", "bridge")
  await ip("address", "add", `10.213.${number}.1/24`, "dev", name)
  await ip("link", "set", name, "up")
  return {
    name,
    async [Symbol.asyncDispose]() {
      await ip("link", "delete", name)
    },
  }
}

import type { Command } from "just-bash"
import { printed, refused } from "./answer.ts"

const facts: Readonly<Record<string, string>> = {
  s: "Linux",
  n: "toolkeep",
  r: "0.0.0-virtual",
  v: "#1 virtual bash, no kernel",
  m: "x86_64",
  o: "GNU/Linux",
}

const letters: Readonly<Record<string, string>> = {
  "--all": "a",
  "--kernel-name": "s",
  "--nodename": "n",
  "--kernel-release": "r",
  "--kernel-version": "v",
  "--machine": "m",
  "--operating-system": "o",
}

/** Says plainly that there is no machine, so that no script takes the shell for one. */
export const uname: Command = {
  name: "uname",
  trusted: false,
  async execute(parameters) {
    let asked = ""
    for (const parameter of parameters) {
      const flags = letters[parameter] ?? /^-([asnrvmo]+)$/.exec(parameter)?.[1]
      if (flags === undefined) return refused(`uname: unrecognized option '${parameter}'`)
      asked += flags
    }
    if (asked === "") asked = "s"
    const told = Object.keys(facts).filter(
      (letter) => asked.includes("a") || asked.includes(letter),
    )
    return printed(`${told.map((letter) => facts[letter]).join(" ")}\n`)
  },
}

/** The same name that uname tells. */
export const hostname: Command = {
  name: "hostname",
  trusted: false,
  execute: async () => printed("toolkeep\n"),
}

const everything = "uid=1000(user) gid=1000(user) groups=1000(user)\n"

export const id: Command = {
  name: "id",
  trusted: false,
  async execute(parameters) {
    const names = parameters.filter((parameter) => !parameter.startsWith("-"))
    const stranger = names.find((name) => name !== "user")
    if (stranger !== undefined) return refused(`id: '${stranger}': no such user`)
    const flags = parameters.filter((parameter) => parameter.startsWith("-")).join("")
    if (flags === "") return printed(everything)
    if (!/^(-[ugGnr]+|--(user|group|groups|name|real))+$/.test(flags)) {
      return refused(`id: unrecognized option '${flags}'`)
    }
    return printed(/-[ugGr]*n|--name/.test(flags) ? "user\n" : "1000\n")
  },
}

/** A script runs in one thread, however many the machine has. */
export const nproc: Command = {
  name: "nproc",
  trusted: false,
  execute: async () => printed("1\n"),
}

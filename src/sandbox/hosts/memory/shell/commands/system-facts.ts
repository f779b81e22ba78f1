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

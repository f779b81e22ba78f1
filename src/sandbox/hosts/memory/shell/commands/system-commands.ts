import { command, printed, refused } from "./command.ts"

const facts = {
  "kernel-name": "Linux",
  nodename: "toolkeep",
  "kernel-release": "0.0.0-virtual",
  "kernel-version": "#1 virtual bash, no kernel",
  machine: "x86_64",
  "operating-system": "GNU/Linux",
}
/** The letters of the same facts, in the same order. */
const letters = "snrvmo"

/** Says plainly that there is no machine, so that no script takes the shell for one. */
export const uname = command("uname", async (parameters) => {
  const names = Object.keys(facts)
  let requested = ""
  for (const parameter of parameters) {
    const long = parameter === "--all" ? "a" : letters[names.indexOf(parameter.slice(2))]
    const flags = parameter.startsWith("--") ? long : /^-([asnrvmo]+)$/.exec(parameter)?.[1]
    if (flags === undefined) return refused(`uname: unrecognized option '${parameter}'`)
    requested += flags
  }
  const shown = requested.includes("a") ? letters : requested || "s"
  const words = Object.values(facts).filter((_, at) => shown.includes(letters[at] ?? ""))
  return printed(`${words.join(" ")}\n`)
})

/** The same name that uname tells. */
export const hostname = command("hostname", async () => printed(`${facts.nodename}\n`))

export const id = command("id", async (parameters) => {
  const flags = parameters.filter((parameter) => parameter.startsWith("-")).join("")
  const stranger = parameters.find((name) => !name.startsWith("-") && name !== "user")
  if (stranger !== undefined) return refused(`id: '${stranger}': no such user`)
  if (flags === "") return printed("uid=1000(user) gid=1000(user) groups=1000(user)\n")
  if (!/^(-[ugGnr]+|--(user|group|groups|name|real))+$/.test(flags)) {
    return refused(`id: unrecognized option '${flags}'`)
  }
  return printed(/-[ugGr]*n|--name/.test(flags) ? "user\n" : "1000\n")
})

/** A script runs in one thread, however many the machine has. */
export const nproc = command("nproc", async () => printed("1\n"))

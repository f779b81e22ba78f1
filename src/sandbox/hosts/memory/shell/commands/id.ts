import type { Command } from "just-bash"
import { printed, refused } from "./answer.ts"

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

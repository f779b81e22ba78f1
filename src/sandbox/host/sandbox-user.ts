import { sha256 } from "../../node/index.ts"

/** What names the sandbox's user inside, by the names of the files in /etc. */
export function accountFiles({ user, group }: { readonly user: number; readonly group: number }) {
  return {
    passwd: `root:x:0:0:root:/root:/bin/bash\nuser:x:${user}:${group}:user:/home/user:/bin/bash\n`,
    group: `root:x:0:\nuser:x:${group}:\n`,
  }
}

export const sandboxEnvironment: Readonly<Record<string, string>> = {
  HOME: "/home/user",
  USER: "user",
  LOGNAME: "user",
  SHELL: "/bin/bash",
  LANG: "C.UTF-8",
  TERM: "dumb",
  TMPDIR: "/tmp",
}

/** Below what engines that map users have, and above what images give to users of theirs. */
const firstUser = 10_000
const users = 50_000

/** A user on another machine: always the same for the same text, and hardly that of another text. */
export function userOf(text: string): number {
  return firstUser + (Number.parseInt(sha256(text).slice(0, 8), 16) % users)
}

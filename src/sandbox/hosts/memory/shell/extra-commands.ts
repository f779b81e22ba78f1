import type { Command } from "just-bash"
import { rg, xargs } from "./commands/adjust-flags.ts"
import { env } from "./commands/env.ts"
import { mktemp } from "./commands/mktemp.ts"
import { echo, printf } from "./commands/print.ts"
import { realpath } from "./commands/realpath.ts"
import { hostname, id, nproc, uname } from "./commands/system-facts.ts"
import { createTimeout } from "./commands/timeout.ts"
import type { Stopper } from "./create-stopper.ts"
import { decodeInputCommand } from "./syntax/decode-input.ts"

/**
 * Commands that just-bash 3.4.2 lacks (hostname, id, mktemp, nproc, realpath, uname) or has with a flaw that
 * its comment names. Each can go once run-script.test.ts and memory-host.test.ts pass without it.
 */
export function extraCommands(stopper: Stopper): Command[] {
  const timeout = createTimeout(stopper)
  return [
    decodeInputCommand,
    echo,
    env,
    hostname,
    id,
    mktemp,
    nproc,
    printf,
    realpath,
    rg,
    timeout,
    uname,
    xargs,
  ]
}

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

/** Commands that scripts expect and the shell lacks, or has with a flaw. */
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

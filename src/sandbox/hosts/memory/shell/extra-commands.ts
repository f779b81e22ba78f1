import type { Command } from "just-bash"
import { decodeInputCommand } from "./commands/decode-input.ts"
import { echo } from "./commands/print.ts"
import { env } from "./commands/env.ts"
import { hostname } from "./commands/hostname.ts"
import { id } from "./commands/id.ts"
import { mktemp } from "./commands/mktemp.ts"
import { nproc } from "./commands/nproc.ts"
import { printf } from "./commands/printf.ts"
import { realpath } from "./commands/realpath.ts"
import { rg } from "./commands/adjust-flags.ts"
import { createTimeout } from "./commands/timeout.ts"
import { uname } from "./commands/system-facts.ts"
import { xargs } from "./commands/xargs.ts"
import type { Stopper } from "./create-stopper.ts"

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

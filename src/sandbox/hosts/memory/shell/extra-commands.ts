import type { Command } from "just-bash"
import { decodeInputCommand } from "./commands/decode-input.ts"
import { echo } from "./commands/echo.ts"
import { env } from "./commands/env.ts"
import { hostname } from "./commands/hostname.ts"
import { id } from "./commands/id.ts"
import { mktemp } from "./commands/mktemp.ts"
import { nproc } from "./commands/nproc.ts"
import { printf } from "./commands/printf.ts"
import { realpath } from "./commands/realpath.ts"
import { uname } from "./commands/uname.ts"
import { xargs } from "./commands/xargs.ts"

/** Commands that scripts expect and the shell lacks, or has with a flaw. */
export const extraCommands: readonly Command[] = [
  decodeInputCommand,
  echo,
  env,
  hostname,
  id,
  mktemp,
  nproc,
  printf,
  realpath,
  uname,
  xargs,
]

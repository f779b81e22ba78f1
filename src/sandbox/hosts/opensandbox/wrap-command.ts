import { quoteArguments } from "../../../kit/index.ts"

export interface WrappedCommand {
  /** A script for bash; or the path of a file that has it, which is removed. */
  readonly script: { readonly text: string } | { readonly file: string }
  /** Its input; or the path of a file that has it, which is removed. */
  readonly stdin: { readonly bytes: Uint8Array } | { readonly file: string }
  readonly cwd: string
  /** Nobody else can write it: after it, on both streams, there is nothing more. */
  readonly mark: string
  readonly encoder: Encoder
}

/** What writes bytes as lines: perl in one program, where it is there; the shell with three for each piece. */
export type Encoder = "perl" | "shell"

/**
 * A script whose output is lines of base64, because execd passes on lines of text. `dd` reads what there is, so that
 * output comes while the command runs. When the command has ended, a mark follows on both streams, on the first with the
 * exit code: whatever goes on in the background does not hold back the end.
 */
export function wrapCommand({ script, stdin, cwd, mark, encoder }: WrappedCommand): string {
  const take = (file: string) => `exec 9<${quote(file)}; rm -f ${quote(file)}; `
  const given = "file" in stdin ? take(stdin.file) : ""
  const input = "file" in stdin ? "<&9" : stdin.bytes.length === 0 ? "</dev/null" : ""
  const feed =
    "bytes" in stdin && stdin.bytes.length > 0
      ? `printf %s ${quote(Buffer.from(stdin.bytes).toString("base64"))} | base64 -d | `
      : ""
  const program =
    "file" in script
      ? `{ "$s" ${quote(script.file)}; r=$?; rm -f ${quote(script.file)}; (exit $r); }`
      : `"$s" -c -- ${quote(script.text)}`
  const directory = quote(cwd)
  return `s=$(command -v bash || command -v sh)
e() { ${encoders[encoder]}; }
${given}{ { if cd ${directory} 2>/dev/null; then ${feed}${program} ${input} 4>&-; r=$?
elif [ -e ${directory} ]; then r=file; else r=missing; fi
printf '%s%s;' ${quote(mark)} "$r"; printf %s ${quote(mark)} >&2; } 2>&1 >&4 | e >&2 4>&-; } 4>&1 | e`
}

const encoders: Readonly<Record<Encoder, string>> = {
  perl: `perl -MMIME::Base64 -e '$|=1; while (sysread(STDIN, $b, 49152)) { print encode_base64($b, ""), "\\n" }'`,
  shell: `while c=$(dd bs=49152 count=1 2>/dev/null | base64 | tr -d '\\n') && [ -n "$c" ]; do printf '%s\\n' "$c"; done`,
}

/** Succeeds where the sandbox has what the encoder needs. */
export const hasPerl = "perl -MMIME::Base64 -e 1"

function quote(word: string): string {
  return quoteArguments([word])
}

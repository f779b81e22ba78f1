import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

const encoders: Readonly<Record<string, (from: string, to: string) => [string, ...string[]]>> = {
  mp3: (from, to) => ["lame", "--quiet", from, to],
  flac: (from, to) => [
    "flac",
    "--silent",
    "--lax",
    "--blocksize=65535",
    "--no-padding",
    "--no-seektable",
    from,
    "-o",
    to,
  ],
  opus: (from, to) => ["opusenc", "--quiet", from, to],
}

/** For tests: a machine says these words. Needs Debian's espeak-ng, and lame, flac or opus-tools. */
export async function speak(words: string): Promise<Buffer> {
  return inDirectory(async (directory) => {
    const file = join(directory, "speech.wav")
    await run("espeak-ng", ["-s", "130", "-w", file, words])
    return readFile(file)
  })
}

/** For tests: the same sound, packed otherwise. */
export async function pack(wav: Buffer, format: "mp3" | "flac" | "opus"): Promise<Buffer> {
  return inDirectory(async (directory) => {
    const from = join(directory, "sound.wav")
    const to = join(directory, `sound.${format}`)
    await writeFile(from, wav)
    const [program, ...args] = encoders[format]?.(from, to) ?? [""]
    await run(program, args)
    return readFile(to)
  })
}

/** For tests: 16 bits a sample, one channel. */
export function wavOf(samples: Buffer, rate: number): Buffer {
  const head = Buffer.alloc(44)
  head.write("RIFF", 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write("WAVEfmt ", 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write("data", 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

async function inDirectory<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), "toolkeep-speech-"))
  try {
    return await work(directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { oggPackets } from "../../../src/tools/audio/decoders/ogg.ts"

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

/** For tests: "Please open the red door." in Vorbis, for which Debian's programs would be a package more. */
export function vorbisSpeech(): Promise<Buffer> {
  return readFile(new URL("./door.ogg", import.meta.url))
}

/** For tests: the packets of an Ogg file as a browser records them, in parts that don't say how long they are. */
export function webmOf(ogg: Buffer, codec: "A_OPUS" | "A_VORBIS"): Buffer {
  const packets = [...oggPackets(ogg)]
  const [head = new Uint8Array(), comment = new Uint8Array(), ...rest] = packets
  const [setup = new Uint8Array()] = rest
  const isVorbis = codec === "A_VORBIS"
  const described = isVorbis
    ? Buffer.concat([Buffer.of(2), laced(head), laced(comment), head, comment, setup])
    : Buffer.from(head)
  const track = [
    element(0xd7, Buffer.of(1)),
    element(0x86, Buffer.from(codec)),
    element(0x63a2, described),
  ]
  const blocks = rest
    .slice(isVorbis ? 1 : 0)
    .map((packet) => element(0xa3, Buffer.concat([Buffer.of(0x81, 0, 0, 0x80), packet])))
  return Buffer.concat([
    element(0x1a45dfa3, element(0x4282, Buffer.from("webm"))),
    Buffer.from("1853806701ffffffffffffff", "hex"),
    element(0x1654ae6b, element(0xae, Buffer.concat(track))),
    Buffer.from("1f43b67501ffffffffffffff", "hex"),
    ...blocks,
  ])
}

function element(id: number, data: Buffer): Buffer {
  const name = Buffer.from(id.toString(16), "hex")
  const size = Buffer.alloc(4)
  size.writeUInt32BE(0x10000000 + data.length)
  return Buffer.concat([name, size, data])
}

/** The length of a packet as Matroska writes it before those that follow each other. */
function laced(packet: Uint8Array): Buffer {
  const full = Math.floor(packet.length / 255)
  return Buffer.concat([Buffer.alloc(full, 255), Buffer.of(packet.length % 255)])
}

import { readFile } from "node:fs/promises"
import type { Sounds } from "./sound.ts"

/** As much of what Node has as is used here: its types leave it to those of browsers. */
declare const WebAssembly: {
  instantiate(code: Uint8Array): Promise<{ instance: { exports: Record<string, unknown> } }>
}

const pieceSeconds = 10
const full = 2 ** 15

export async function* decodeMp3(bytes: Uint8Array): Sounds {
  const { Decoder } = await import("minimp3-wasm")
  // The library's own way is fetch, which reads no files.
  const code = new URL("./decoder.opt.wasm", import.meta.resolve("minimp3-wasm"))
  const { instance } = await WebAssembly.instantiate(await readFile(code))
  const decoder = new Decoder(instance.exports, bytes)
  for (;;) {
    const { pcm, numChannels, samplingRate } = decoder.decode(pieceSeconds)
    if (pcm.length === 0) return
    const length = pcm.length / numChannels
    const channelData = Array.from({ length: numChannels }, (_, channel) => {
      const samples = new Float32Array(length)
      for (let at = 0; at < length; at += 1)
        samples[at] = (pcm[at * numChannels + channel] ?? 0) / full
      return samples
    })
    yield { channelData, sampleRate: samplingRate }
  }
}

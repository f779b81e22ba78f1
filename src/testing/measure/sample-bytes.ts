/** Bytes of every value in no simple order, always the same for one seed. */
export function sampleBytes(length: number, seed = 1): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4))
  let state = seed * 0x9e3779b1
  for (let index = 0; index < words.length; index += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[index] = state
  }
  return new Uint8Array(words.buffer).subarray(0, length)
}

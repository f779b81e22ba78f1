/** The vector with length 1, or null for one without a direction. */
export function unitVector(vector: Float32Array): Float32Array | null {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return length > 0 && Number.isFinite(length) ? vector.map((value) => value / length) : null
}

/** As SQLite stores it. */
export function vectorBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** One bit for each number: whether it is above zero. */
export function signBits(vector: Float32Array): Uint8Array {
  const bits = new Uint8Array(Math.ceil(vector.length / 8))
  for (const [index, value] of vector.entries()) {
    if (value > 0) bits[index >> 3] = (bits[index >> 3] ?? 0) | (1 << (index & 7))
  }
  return bits
}

/** The exit code of `keysBy32Bit` when its call was refused. */
export const refusedBy32Bit = 42

/** Exits with 42 by the call of a 32-bit program. */
export function exitBy32Bit(): Uint8Array {
  return program([0xb8, 1, 0, 0, 0, 0xbb, 42, 0, 0, 0, 0xcd, 0x80, 0xf4])
}

/** Asks for the session's keyring by the call of a 32-bit program; exits with 42 if not permitted, else with 43. */
export function keysBy32Bit(): Uint8Array {
  const keyctl = [0xb8, 0x20, 1, 0, 0, 0xbb, 0, 0, 0, 0, 0xb9, 0xfd, 0xff, 0xff, 0xff]
  const ask = [0xba, 0, 0, 0, 0, 0xcd, 0x80]
  const isPermitted = [0x31, 0xdb, 0x83, 0xf8, 0xff, 0x0f, 0x95, 0xc3]
  const exit = [0x83, 0xc3, refusedBy32Bit, 0xb8, 1, 0, 0, 0, 0xcd, 0x80, 0xf4]
  return program([...keyctl, ...ask, ...isPermitted, ...exit])
}

/** A whole program for x64 of these instructions. */
function program(code: readonly number[]): Uint8Array {
  const file = Buffer.alloc(120 + code.length)
  file.write("\x7fELF\x02\x01\x01", "latin1")
  file.writeUInt32LE(0x003e_0002, 16)
  file.writeUInt32LE(1, 20)
  file.writeBigUInt64LE(0x40_0078n, 24)
  file.writeBigUInt64LE(64n, 32)
  file.writeUInt32LE(0x0038_0040, 52)
  file.writeUInt32LE(1, 56)
  file.writeUInt32LE(1, 64)
  file.writeUInt32LE(5, 68)
  file.writeBigUInt64LE(0x40_0000n, 80)
  file.writeBigUInt64LE(0x40_0000n, 88)
  file.writeBigUInt64LE(BigInt(file.length), 96)
  file.writeBigUInt64LE(BigInt(file.length), 104)
  file.writeBigUInt64LE(4096n, 112)
  file.set(code, 120)
  return file
}

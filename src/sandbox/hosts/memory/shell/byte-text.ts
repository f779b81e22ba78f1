const strictDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
const encoder = new TextEncoder()

/** Byte 0x80 is U+DC80 and so on up to 0xFF: halves of surrogate pairs, which no valid text contains. */
const escapedByte = 0xdc00

/** Characters of several bytes each as RFC 3629 defines them, or else a byte that belongs to none. */
const charactersOrByte =
  /(?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})+|[\x80-\xff]/g

/** Text that can hold any bytes: a byte that is no UTF-8 is escaped, and comes back when encoded. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return strictDecoder.decode(bytes)
  } catch {
    return decodeEscaping(bytes)
  }
}

export function bytesOfText(text: string): Uint8Array<ArrayBuffer> {
  return text.isWellFormed() ? encoder.encode(text) : encodeEscaped(text)
}

function decodeEscaping(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")
  return latin1.replace(charactersOrByte, (found) =>
    found.length > 1
      ? Buffer.from(found, "latin1").toString()
      : String.fromCharCode(escapedByte + found.charCodeAt(0)),
  )
}

/** In its own memory, which can move to another thread. "latin1" takes the low byte of an escape. */
function encodeEscaped(text: string): Uint8Array<ArrayBuffer> {
  const latin1 = text.replace(/[^\udc80-\udcff]+/gu, (run) => Buffer.from(run).toString("latin1"))
  return new Uint8Array(Buffer.from(latin1, "latin1"))
}

/**
 * The shell keeps all output as text, and would turn bytes that are no UTF-8 into other bytes. In
 * its own thread the global text codecs keep them, so whatever passes through the shell stays exact.
 */
export function installByteText(realm: typeof globalThis): void {
  class ByteTextDecoder extends realm.TextDecoder {
    override decode(
      ...[input, options]: Parameters<InstanceType<typeof TextDecoder>["decode"]>
    ): string {
      if (this.encoding !== "utf-8" || options?.stream || !(input instanceof Uint8Array)) {
        return super.decode(input, options)
      }
      return textOfBytes(input)
    }
  }
  class ByteTextEncoder extends realm.TextEncoder {
    override encode(input = ""): Uint8Array<ArrayBuffer> {
      return bytesOfText(input)
    }
  }
  realm.TextDecoder = ByteTextDecoder
  realm.TextEncoder = ByteTextEncoder
}

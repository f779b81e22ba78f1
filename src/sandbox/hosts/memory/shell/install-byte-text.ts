import { bytesOfText, textOfBytes } from "./byte-text.ts"

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

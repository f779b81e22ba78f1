import { describe, expect, it } from "vitest"
import { parseTarget } from "./target.ts"

const hostOf = (text: string) => parseTarget(text, 80)?.host ?? null

describe("where a request is to go", () => {
  it("C18: one place has one form, whatever its case, dots and script", () => {
    const same = ["example.com", "EXAMPLE.com", "example.com.", "ｅxample。com", "example.com:80"]
    expect(same.map(hostOf)).toEqual(same.map(() => "example.com"))
    expect(hostOf("bücher.example")).toBe("xn--bcher-kva.example")
    expect(hostOf("XN--BCHER-KVA.example.")).toBe("xn--bcher-kva.example")
    expect(parseTarget("example.com:8443", null)).toEqual({
      ...{ kind: "name", host: "example.com", port: 8443 },
    })
  })

  it("C18: an address has one form in every notation", () => {
    const loopback = ["127.0.0.1", "2130706433", "0x7f000001", "017700000001", "127.1", "0x7f.1"]
    expect(loopback.map(hostOf)).toEqual(loopback.map(() => "127.0.0.1"))
    expect(["127.0.0.1.", "１２７.0.0.1"].map(hostOf)).toEqual(["127.0.0.1", "127.0.0.1"])
    expect(hostOf("[0:0:0:0:0:0:0:1]")).toBe("::1")
    expect(hostOf("[::ffff:127.0.0.1]")).toBe("::ffff:7f00:1")
    expect(parseTarget("[::1]:443", null)).toEqual({ kind: "address", host: "::1", port: 443 })
  })

  it("C18: what is not a host alone is nothing", () => {
    const wrong = [
      ...["", ".", "..", "a..b", "example.com..", " example.com", "example.com\t", "exa\nmple.com"],
      ...[
        "user@example.com",
        "user:pass@example.com",
        "example.com/path",
        "example.com\\@evil.net",
      ],
      ...["example.com?x", "example.com#x", "ex%61mple.com", "example.com:", "example.com:0"],
      ...["example.com:65536", "example.com:8o", "a:b:c", "::1", "[::1", "::1]", "[::1%25eth0]"],
      ...["[fe80::1%eth0]", "[127.0.0.1]", "256.256.256.256", "1.2.3.4.5", "127.0.0.0x1ff"],
      ...[
        "*.example.com",
        "exa*mple.com",
        `${"a".repeat(64)}.com`,
        "a.".repeat(128),
        "example.com\0",
      ],
    ]
    expect(wrong.filter((text) => parseTarget(text, 80) !== null)).toEqual([])
    expect(parseTarget("example.com", null)).toBeNull()
  })
})

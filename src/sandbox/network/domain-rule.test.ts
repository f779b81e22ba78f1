import { describe, expect, it } from "vitest"
import { networkLimits } from "../limits.ts"
import { judgeTarget, parseDomainRule, parseDomainRules } from "./domain-rule.ts"
import { parseTarget } from "./target.ts"

const nothing = { kind: "deny", rule: "nothing on the allow-list matches" }

function judge(domains: readonly string[], text: string) {
  const target = parseTarget(text, null)
  return target === null ? null : judgeTarget(parseDomainRules(domains), target)
}

describe("the rules of an allow-list", () => {
  it("C18: a domain is that name on the ports 80 and 443, in every writing of it", () => {
    const domains = ["Example.com."]
    for (const text of ["example.com:443", "EXAMPLE.COM.:80"]) {
      expect(judge(domains, text)).toEqual({ kind: "allow", rule: "Example.com." })
    }
    expect(judge(domains, "www.example.com:443")).toEqual(nothing)
    expect(judge(["bücher.example"], "xn--bcher-kva.example:443")).toMatchObject({ kind: "allow" })
  })

  it("C18: a star stands for subdomains, and not for the domain itself", () => {
    const domains = ["*.example.com"]
    expect(judge(domains, "a.example.com:443")).toEqual({ kind: "allow", rule: "*.example.com" })
    expect(judge(domains, "a.b.example.com:80")).toMatchObject({ kind: "allow" })
    expect(judge(domains, "example.com:443")).toEqual(nothing)
    expect(judge(domains, "example.com.:443")).toEqual(nothing)
  })

  it("C18: names that only look alike do not match", () => {
    const domains = ["example.com", "*.example.com"]
    const others = [
      ...["example.com.evil.net", "evilexample.com", "example.comm", "xexample.com", "example.co"],
      ...["ехample.com", "example.com.com", "examp1e.com", "example-com.evil.net", "com"],
    ]
    for (const name of others) expect(judge(domains, `${name}:443`), name).toEqual(nothing)
    expect(judge(domains, "example.com@evil.net:443")).toBeNull()
  })

  it("C18: another port needs a rule that says so, and the refusal says which there are", () => {
    expect(judge(["example.com"], "example.com:22")).toEqual({
      kind: "deny",
      rule: '"example.com" allows only port 80 and 443',
    })
    expect(judge(["example.com:8080"], "example.com:8080")).toMatchObject({ kind: "allow" })
    expect(judge(["example.com:8080"], "example.com:443")).toMatchObject({ kind: "deny" })
    const both = ["example.com", "example.com:8080"]
    expect(judge(both, "example.com:8080")).toEqual({ kind: "allow", rule: "example.com:8080" })
  })

  it("C18: an address is allowed only by a rule that is this very address", () => {
    expect(judge(["8.8.8.8"], "8.8.8.8:443")).toEqual({ kind: "allow", rule: "8.8.8.8" })
    expect(judge(["8.8.8.8"], "134744072:443")).toMatchObject({ kind: "allow" })
    expect(judge(["8.8.8.8"], "8.8.4.4:443")).toEqual(nothing)
    expect(judge(["[2606:4700::1111]:443"], "[2606:4700:0::1111]:443")).toMatchObject({
      kind: "allow",
    })
    expect(judge([], "8.8.8.8:443")).toEqual(nothing)
  })

  it.each([
    ...["", "*", "*.", "*.com", "*example.com", "a.*.com", "**.example.com", "example.com:*"],
    ...[
      "https://example.com",
      "example.com/path",
      "user@example.com",
      "example com",
      "example.com:0",
    ],
    ...["example.com:99999", "::1", "*.8.8.8.8", "exa%6Dple.com", ".", "-:-", "[::1%25lo]"],
  ])("C18: refuses %j as a rule and says what is expected", (text) => {
    expect(() => parseDomainRule(text)).toThrow(
      expect.objectContaining({
        kind: "invalid_args",
        field: "network.domains",
        expected: expect.stringContaining('"*.example.com"'),
      }),
    )
  })

  it.each(["127.0.0.1", "10.1.2.3", "169.254.169.254", "0x7f.1", "[::1]", "[::ffff:8.8.8.8]"])(
    "C18: refuses the address %s as a rule: what is not public is never allowed",
    (text) => {
      expect(() => parseDomainRule(text)).toThrow("those can't be allowed")
    },
  )

  it("C18: a list has a largest length", () => {
    const many = Array.from({ length: networkLimits.rules + 1 }, (_, index) => `a${index}.com`)
    expect(() => parseDomainRules(many)).toThrow("too long")
    expect(parseDomainRules(many.slice(1))).toHaveLength(networkLimits.rules)
  })
})

import { describe, expect, it } from "vitest"
import { addressProblem } from "./address-problem.ts"

describe("addresses that a sandbox must not reach", () => {
  it.each([
    ["a loopback address", ["127.0.0.1", "127.255.255.254", "::1"]],
    ["an address of this machine", ["0.0.0.0", "0.1.2.3", "::"]],
    [
      "a private address",
      ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1"],
    ],
    ["a private address", ["100.100.100.200", "fc00::1", "fd00:ec2::254", "fec0::1"]],
    ["a link-local address", ["169.254.169.254", "169.254.170.2", "fe80::1"]],
    ["a multicast address", ["224.0.0.1", "239.255.255.250", "ff02::1"]],
    ["a broadcast address", ["255.255.255.255"]],
    ["a metadata address", ["168.63.129.16"]],
    [
      "a reserved address",
      ["192.0.0.192", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"],
    ],
    ["a reserved address", ["240.0.0.1", "2001:db8::1", "3fff::1", "100::1", "5f00::1", "4000::1"]],
    ["an IPv4 address inside an IPv6 address", ["::127.0.0.1", "::8.8.8.8"]],
    [
      "an IPv4 address inside an IPv6 address",
      ["::ffff:10.0.0.1", "::ffff:8.8.8.8", "::ffff:0:a00:1"],
    ],
    [
      "an IPv4 address inside an IPv6 address",
      ["64:ff9b::a9fe:a9fe", "64:ff9b:1::7f00:1", "2002:7f00:1::"],
    ],
    ["an IPv4 address inside an IPv6 address", ["2001:0:4136:e378::"]],
    ["an address with a zone", ["fe80::1%eth0", "2606:4700::1111%1"]],
  ])("C18: %s: %j", (problem, addresses) => {
    expect(addresses.map(addressProblem)).toEqual(addresses.map(() => problem))
  })

  it("C18: public addresses have no problem, and what is no address is an error", () => {
    const open = [
      "8.8.8.8",
      "1.1.1.1",
      "172.32.0.1",
      "100.128.0.1",
      "2606:4700::1111",
      "2a00:1450::5",
    ]
    expect(open.filter((address) => addressProblem(address) !== null)).toEqual([])
    expect(() => addressProblem("example.com")).toThrow()
  })
})

import {
  denied,
  netlink,
  newNamespaces,
  plainSockets,
  punchHole,
  rawSockets,
  terminalInput,
} from "../../kernel/syscalls.ts"

interface Comparison {
  readonly index: number
  readonly op: "SCMP_CMP_MASKED_EQ" | "SCMP_CMP_GE" | "SCMP_CMP_NE"
  /** The mask, for a masked comparison. */
  readonly value: number
  readonly valueTwo?: number
}

const notPermitted = 1
const notImplemented = 38
const noSuchFamily = 97
const notSupported = 95

/** The kernel looks at the lower half of these arguments only, and so must the filter. */
const lowerHalf = 0xffff_ffff

/** The only interface that calls are taken from: those of other word sizes end the program. */
const architectures: Readonly<Record<string, string>> = {
  x64: "SCMP_ARCH_X86_64",
  arm64: "SCMP_ARCH_AARCH64",
}

/**
 * The filter of every sandbox of this machine, in the engine's form. In place of the engine's own, which
 * differs between engines and versions and lets commands have io_uring, ptrace and sockets of any family.
 */
export function seccompProfile(architecture: string): string {
  return JSON.stringify({
    defaultAction: "SCMP_ACT_ALLOW",
    architectures: [architectures[architecture] ?? "SCMP_ARCH_NATIVE"],
    syscalls: [
      refuse(denied, notPermitted),
      // Its flags are behind a pointer, where no filter can look; without it programs use clone.
      refuse(["clone3"], notImplemented),
      ...bitsOf(newNamespaces).map((bit) => refuse(["clone"], notPermitted, [masked(0, bit, bit)])),
      refuse(["fallocate"], notSupported, [masked(1, punchHole, 0)]),
      ...terminalInput.map((request) =>
        refuse(["ioctl"], notPermitted, [masked(1, lowerHalf, request)]),
      ),
      ...socketRules(),
    ],
  })
}

function socketRules() {
  const known = [...plainSockets, netlink]
  const most = Math.max(...known)
  const other = Array.from({ length: most }, (_, family) => family).filter(
    (family) => !known.includes(family),
  )
  return [
    ...other.map((family) => refuse(["socket"], noSuchFamily, [masked(0, lowerHalf, family)])),
    refuse(["socket"], noSuchFamily, [{ index: 0, op: "SCMP_CMP_GE", value: most + 1 }]),
    // Programs list their network interfaces over netlink's first protocol.
    refuse(["socket"], noSuchFamily, [
      masked(0, lowerHalf, netlink),
      { index: 2, op: "SCMP_CMP_NE", value: 0 },
    ]),
    ...plainSockets.flatMap((family) =>
      rawSockets.map((type) =>
        refuse(["socket"], notPermitted, [masked(0, lowerHalf, family), masked(1, 0xf, type)]),
      ),
    ),
  ]
}

function refuse(names: readonly string[], errnoRet: number, args: readonly Comparison[] = []) {
  return { names, action: "SCMP_ACT_ERRNO", errnoRet, args }
}

function masked(index: number, mask: number, valueTwo: number): Comparison {
  return { index, op: "SCMP_CMP_MASKED_EQ", value: mask, valueTwo }
}

function bitsOf(flags: number): number[] {
  return Array.from({ length: 32 }, (_, bit) => 2 ** bit).filter((bit) => (flags & bit) !== 0)
}

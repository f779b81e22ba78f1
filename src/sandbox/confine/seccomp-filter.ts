import {
  denied,
  netlink,
  newNamespaces,
  numbers,
  plainSockets,
  punchHole,
  rawSockets,
  type SyscallName,
  terminalInput,
} from "../kernel/syscalls.ts"

/** One instruction of the kernel's packet filter language, in which seccomp filters are written. */
interface Instruction {
  readonly code: number
  readonly whenTrue: number
  readonly whenFalse: number
  readonly value: number
}

const load = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const jumpIfAnyBit = 0x45
const and = 0x54
const leave = 0x06

const allow = 0x7fff_0000
const kill = 0x8000_0000
const refuse = (errno: number) => 0x0005_0000 | errno
const notPermitted = refuse(1)
const notImplemented = refuse(38)
const noSuchFamily = refuse(97)
const notSupported = refuse(95)

/** Where in the data that the kernel shows to a filter things stand. */
const at = { number: 0, architecture: 4, argument: (index: number) => 16 + 8 * index }

const architectures = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const
export type Architecture = keyof typeof architectures

/** Calls of the x32 interface carry this bit, and would slip past a list of numbers. */
const otherInterface = 0x4000_0000

/**
 * A filter, in the form that `bwrap --seccomp` reads, that takes away what no command needs and what
 * kernels were broken through. It allows by default: the namespaces, the missing capabilities and the
 * missing files are the wall, and this thins out what can be tried against it.
 */
export function seccompFilter(architecture: Architecture): Uint8Array {
  const program: Instruction[] = [
    step(load, at.architecture),
    jump(jumpIfEqual, architectures[architecture], 1, 0),
    step(leave, kill),
    step(load, at.number),
  ]
  if (architecture === "x64")
    program.push(jump(jumpIfAtLeast, otherInterface, 0, 1), step(leave, kill))
  for (const name of denied) {
    const number = numbers[name][architecture]
    if (number !== null) program.push(jump(jumpIfEqual, number, 0, 1), step(leave, notPermitted))
  }
  const numberOf = (name: SyscallName) => numbers[name][architecture] ?? -1
  program.push(
    // Its flags are behind a pointer, where no filter can look; without it programs use clone.
    ...whenCalled(numberOf("clone3"), [step(leave, notImplemented)]),
    ...whenCalled(numberOf("clone"), [
      step(load, at.argument(0)),
      jump(jumpIfAnyBit, newNamespaces, 0, 1),
      step(leave, notPermitted),
    ]),
    ...whenCalled(numberOf("fallocate"), [
      step(load, at.argument(1)),
      jump(jumpIfAnyBit, punchHole, 1, 0),
      step(leave, notSupported),
    ]),
    ...whenCalled(numberOf("ioctl"), refuseArgument(1, terminalInput)),
    ...whenCalled(numberOf("socket"), checkSocket()),
    step(leave, allow),
  )
  return encode(program)
}

/** Runs the steps only for that call, and allows what they do not refuse. */
function whenCalled(number: number, steps: readonly Instruction[]): Instruction[] {
  const body = [...steps, step(leave, allow)]
  return [jump(jumpIfEqual, number, 0, body.length), ...body]
}

function checkSocket(): Instruction[] {
  const raw = rawSockets.flatMap((type) => [
    jump(jumpIfEqual, type, 0, 1),
    step(leave, notPermitted),
  ])
  const plain = [step(load, at.argument(1)), step(and, 0xf), ...raw, step(leave, allow)]
  return [
    step(load, at.argument(0)),
    jump(jumpIfEqual, netlink, 0, 3),
    step(load, at.argument(2)),
    jump(jumpIfEqual, 0, 0, 1),
    step(leave, allow),
    // A family that is plain jumps over the refusal that stands before its own checks.
    ...plainSockets.map((family, index) =>
      jump(jumpIfEqual, family, plainSockets.length - index, 0),
    ),
    step(leave, noSuchFamily),
    ...plain,
  ]
}

function refuseArgument(index: number, values: readonly number[]): Instruction[] {
  const checks = values.flatMap((value) => [
    jump(jumpIfEqual, value, 0, 1),
    step(leave, notPermitted),
  ])
  return [step(load, at.argument(index)), ...checks]
}

function step(code: number, value: number): Instruction {
  return { code, value, whenTrue: 0, whenFalse: 0 }
}

function jump(code: number, value: number, whenTrue: number, whenFalse: number): Instruction {
  return { code, value, whenTrue, whenFalse }
}

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = new Uint8Array(program.length * 8)
  const view = new DataView(bytes.buffer)
  program.forEach(({ code, whenTrue, whenFalse, value }, index) => {
    view.setUint16(index * 8, code, true)
    view.setUint8(index * 8 + 2, whenTrue)
    view.setUint8(index * 8 + 3, whenFalse)
    view.setUint32(index * 8 + 4, value >>> 0, true)
  })
  return bytes
}

type Numbers = Readonly<Record<"x64" | "arm64", number | null>>

/**
 * Refused whatever their arguments: other processes, mounts and namespaces, keys, the kernel itself. With
 * their numbers by architecture; null where one does not have the call.
 */
const deniedNumbers = {
  ptrace: { x64: 101, arm64: 117 },
  process_vm_readv: { x64: 310, arm64: 270 },
  process_vm_writev: { x64: 311, arm64: 271 },
  kcmp: { x64: 312, arm64: 272 },
  pidfd_getfd: { x64: 438, arm64: 438 },
  mount: { x64: 165, arm64: 40 },
  umount2: { x64: 166, arm64: 39 },
  pivot_root: { x64: 155, arm64: 41 },
  chroot: { x64: 161, arm64: 51 },
  setns: { x64: 308, arm64: 268 },
  unshare: { x64: 272, arm64: 97 },
  mount_setattr: { x64: 442, arm64: 442 },
  fsopen: { x64: 430, arm64: 430 },
  fsconfig: { x64: 431, arm64: 431 },
  fsmount: { x64: 432, arm64: 432 },
  fspick: { x64: 433, arm64: 433 },
  move_mount: { x64: 429, arm64: 429 },
  open_tree: { x64: 428, arm64: 428 },
  open_tree_attr: { x64: 467, arm64: 467 },
  open_by_handle_at: { x64: 304, arm64: 265 },
  name_to_handle_at: { x64: 303, arm64: 264 },
  keyctl: { x64: 250, arm64: 219 },
  add_key: { x64: 248, arm64: 217 },
  request_key: { x64: 249, arm64: 218 },
  bpf: { x64: 321, arm64: 280 },
  perf_event_open: { x64: 298, arm64: 241 },
  io_uring_setup: { x64: 425, arm64: 425 },
  io_uring_enter: { x64: 426, arm64: 426 },
  io_uring_register: { x64: 427, arm64: 427 },
  userfaultfd: { x64: 323, arm64: 282 },
  init_module: { x64: 175, arm64: 105 },
  finit_module: { x64: 313, arm64: 273 },
  delete_module: { x64: 176, arm64: 106 },
  kexec_load: { x64: 246, arm64: 104 },
  kexec_file_load: { x64: 320, arm64: 294 },
  reboot: { x64: 169, arm64: 142 },
  swapon: { x64: 167, arm64: 224 },
  swapoff: { x64: 168, arm64: 225 },
  syslog: { x64: 103, arm64: 116 },
  acct: { x64: 163, arm64: 89 },
  quotactl: { x64: 179, arm64: 60 },
  quotactl_fd: { x64: 443, arm64: 443 },
  settimeofday: { x64: 164, arm64: 170 },
  clock_settime: { x64: 227, arm64: 112 },
  adjtimex: { x64: 159, arm64: 171 },
  clock_adjtime: { x64: 305, arm64: 266 },
  iopl: { x64: 172, arm64: null },
  ioperm: { x64: 173, arm64: null },
  modify_ldt: { x64: 154, arm64: null },
  vhangup: { x64: 153, arm64: 58 },
  lookup_dcookie: { x64: 212, arm64: 18 },
  fanotify_init: { x64: 300, arm64: 262 },
  memfd_secret: { x64: 447, arm64: 447 },
} as const satisfies Record<string, Numbers>

export const numbers = {
  ...deniedNumbers,
  fallocate: { x64: 285, arm64: 47 },
  clone: { x64: 56, arm64: 220 },
  clone3: { x64: 435, arm64: 435 },
  ioctl: { x64: 16, arm64: 29 },
  socket: { x64: 41, arm64: 198 },
} as const satisfies Record<string, Numbers>

export type SyscallName = keyof typeof numbers

export const denied = Object.keys(deniedNumbers) as readonly (keyof typeof deniedNumbers)[]

/** CLONE_NEWNS, CGROUP, UTS, IPC, USER, PID, NET and TIME. */
export const newNamespaces = 0x0002_0000 | 0x7e02_0000 | 0x0000_0080
/** FALLOC_FL_PUNCH_HOLE: all other modes take as much of the disk as is asked for at once, faster than anybody looks. */
export const punchHole = 2
/** TIOCSTI types into a terminal, TIOCLINUX pastes into it. */
export const terminalInput = [0x5412, 0x541c]
/** Unix and internet sockets. Others are not all held by a network namespace, and little tested. */
export const plainSockets = [1, 2, 10]
/** Programs list their network interfaces over netlink's first protocol. */
export const netlink = 16
/** SOCK_RAW, and SOCK_PACKET which is another word for it. */
export const rawSockets = [3, 10]

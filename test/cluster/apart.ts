/**
 * What a local cluster is started with. It has its own networks, mounts and processes: nothing of it can meet what else
 * runs here, and the kernel ends all of it with the first process. That is a shell, because it takes in what others leave.
 */
export const apart: readonly string[] = [
  ...["unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"],
  ...["sh", "-c", 'ip link set lo up; "$@"; exit $?', "sh"],
]

import type { Capabilities } from "../../contract/index.ts"

/** Signals, process groups and background work exist only where commands are processes of a kernel. */
export function realProcesses(can: Capabilities): boolean {
  return can.isolation !== "virtual"
}

export function liveOutput(can: Capabilities): boolean {
  return can.liveOutput
}

export function argumentLists(can: Capabilities): boolean {
  return can.argumentLists
}

export function fileModes(can: Capabilities): boolean {
  return can.fileModes
}

/** Commands use this machine's own files, so a check can watch from outside. */
export function sharedFiles(can: Capabilities): boolean {
  return can.isolation === "none"
}

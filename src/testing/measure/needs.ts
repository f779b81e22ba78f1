import type { Capabilities } from "../../contract/index.ts"

/** Signals, process groups and background work exist only where commands are processes. */
export function background(can: Capabilities): boolean {
  return can.background
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

export function ports(can: Capabilities): boolean {
  return can.ports
}

export function sleep(can: Capabilities): boolean {
  return can.sleep
}

export function snapshots(can: Capabilities): boolean {
  return can.snapshots
}

/** Commands use this machine's own files, so a check can watch from outside. */
export function sharedFiles(can: Capabilities): boolean {
  return can.isolation === "none"
}

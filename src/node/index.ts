export { containFaults } from "./contain-faults.ts"
export { type FaultOwner, ownConnections, runOwned } from "./fault-owner.ts"
export { makeDirectories } from "./make-directories.ts"

import * as commands from "./commands.ts"
import * as egress from "./egress.ts"
import * as files from "./files.ts"
import * as lifecycle from "./lifecycle.ts"
import { getMetrics } from "./metrics.ts"
import { json, type OpenSandboxRoute } from "./request.ts"

const sandbox = "/sandboxes/{id}"
const execd = `${sandbox}/execd`
const policy = `${sandbox}/egress/policy`

/**
 * What of OpenSandbox's API is done here. The rest of it is in `missingRoutes`. What no policy judges, the life and the
 * network of a sandbox, needs an owner's token.
 */
export const openSandboxRoutes: readonly OpenSandboxRoute[] = [
  { method: "POST", path: "/sandboxes", scope: "own", handle: lifecycle.createSandbox },
  { method: "GET", path: "/sandboxes", scope: "read", handle: lifecycle.listSandboxes },
  { method: "GET", path: sandbox, scope: "read", handle: lifecycle.getSandbox },
  { method: "DELETE", path: sandbox, scope: "own", handle: lifecycle.deleteSandbox },
  { method: "PATCH", path: `${sandbox}/metadata`, scope: "own", handle: lifecycle.patchMetadata },
  { method: "POST", path: `${sandbox}/pause`, scope: "own", handle: lifecycle.pauseSandbox },
  { method: "POST", path: `${sandbox}/resume`, scope: "own", handle: lifecycle.resumeSandbox },
  {
    ...{ method: "POST", path: `${sandbox}/renew-expiration`, scope: "own" },
    handle: lifecycle.renewSandbox,
  },
  {
    ...{ method: "GET", path: `${sandbox}/endpoints/{port}`, scope: "call" },
    handle: lifecycle.getEndpoint,
  },
  { method: "POST", path: "/metrics/events", scope: "read", handle: lifecycle.takeMetrics },

  { method: "GET", path: `${execd}/ping`, scope: "read", handle: async () => json({}) },
  { method: "POST", path: `${execd}/command`, scope: "call", handle: commands.runCommand },
  { method: "DELETE", path: `${execd}/command`, scope: "call", handle: commands.interruptCommand },
  {
    ...{ method: "GET", path: `${execd}/command/status/{command}`, scope: "read" },
    handle: commands.getCommandStatus,
  },
  {
    ...{ method: "GET", path: `${execd}/command/{command}/logs`, scope: "read" },
    handle: commands.getCommandLogs,
  },
  { method: "GET", path: `${execd}/files/info`, scope: "call", handle: files.getFileInfo },
  { method: "DELETE", path: `${execd}/files`, scope: "call", handle: files.deleteFiles },
  { method: "POST", path: `${execd}/files/mv`, scope: "call", handle: files.moveFiles },
  {
    ...{ method: "POST", path: `${execd}/files/permissions`, scope: "call" },
    handle: files.setPermissions,
  },
  { method: "POST", path: `${execd}/files/replace`, scope: "call", handle: files.replaceContents },
  { method: "GET", path: `${execd}/files/search`, scope: "call", handle: files.searchFiles },
  {
    ...{ method: "POST", path: `${execd}/files/upload`, scope: "call", upload: true },
    handle: files.uploadFiles,
  },
  { method: "GET", path: `${execd}/files/download`, scope: "call", handle: files.downloadFile },
  { method: "GET", path: `${execd}/directories/list`, scope: "call", handle: files.listDirectory },
  { method: "POST", path: `${execd}/directories`, scope: "call", handle: files.makeDirectories },
  {
    ...{ method: "DELETE", path: `${execd}/directories`, scope: "call" },
    handle: files.deleteDirectories,
  },
  { method: "GET", path: `${execd}/metrics`, scope: "read", handle: getMetrics },
  {
    ...{ method: "GET", path: `${execd}/v1/isolated/capabilities`, scope: "read" },
    handle: async () => json(noIsolation),
  },

  { method: "GET", path: policy, scope: "read", handle: egress.getPolicy },
  { method: "POST", path: policy, scope: "own", handle: egress.setPolicy },
  { method: "PATCH", path: policy, scope: "own", handle: egress.patchPolicy },
  { method: "DELETE", path: policy, scope: "own", handle: egress.deleteRules },
]

const noIsolation = {
  ...{ available: false, setpriv_available: false, userns_available: false },
  ...{ commit_supported: false, diff_supported: false },
  message: "Each sandbox is isolated as a whole; there are no isolated sessions in it.",
}

/** Parts of OpenSandbox's API that are not done here, by how their paths begin below /v1. */
export const missingRoutes: readonly (readonly [RegExp, string])[] = [
  [/^\/snapshots(\/|$)/, "Snapshots"],
  [/^\/sandboxes\/[^/]+\/snapshots$/, "Snapshots"],
  [/^\/sandboxes\/[^/]+\/execd\/code(\/|$)/, "Code contexts of Jupyter"],
  [/^\/sandboxes\/[^/]+\/execd\/session(\/|$)/, "Bash sessions"],
  [/^\/sandboxes\/[^/]+\/execd\/metrics\/watch$/, "A stream of metrics"],
  [/^\/sandboxes\/[^/]+\/execd\/v1\/isolated\//, "Isolated sessions"],
  [/^\/sandboxes\/[^/]+\/egress\/credential-vault(\/|$)/, "The credential vault"],
  [/^\/sandboxes\/[^/]+\/diagnostics(\/|$)/, "Diagnostics"],
]

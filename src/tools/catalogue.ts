import {
  type Capabilities,
  commonPrograms,
  defaultCallLimits,
  type Tool,
} from "../contract/index.ts"
import { createPool, memoryHost } from "../sandbox/index.ts"
import type { Artifacts } from "../store/index.ts"
import { canonicalTools } from "./canonical-tools.ts"
import type { ToolLoading } from "./search/search-tool.ts"
import type { ToolDeps } from "./tool-deps.ts"

/** A host that can do everything there is a promise for. */
const everything: Capabilities = {
  host: "any",
  isolation: "namespaces",
  liveOutput: true,
  liveInput: true,
  terminal: true,
  argumentLists: true,
  fileModes: true,
  networks: ["none", "allow-list", "full"],
  background: true,
  ports: true,
  languages: {
    javascript: ["node", "-e"],
    typescript: ["node", "-e"],
    python: ["python3", "-c"],
    bash: ["bash", "-c"],
  },
  programs: commonPrograms,
  mounts: true,
  sleep: true,
  snapshots: true,
  durable: true,
  ripgrep: "rg",
  limits: { memoryBytes: 2 ** 31, diskBytes: 2 ** 33, processes: 512, processors: 2 },
}

const nowhere: Artifacts = {
  keep: () => Promise.reject(new Error("The catalogue's tools can't be called.")),
  list: async () => [],
  find: async () => null,
  remove: async () => {},
}

const nothingLoaded: ToolLoading = { all: async () => [], shows: () => false, load: () => {} }

/** Every canonical tool there can be, as definitions: to check vocabularies against, and to describe. */
export function catalogue(rest: Partial<ToolDeps> = {}): readonly Tool[] {
  return canonicalTools({
    can: everything,
    version: "0.0.0",
    session: "catalogue",
    home: "/nonexistent",
    settings: {},
    limits: defaultCallLimits,
    sandboxes: createPool(memoryHost()),
    artifacts: nowhere,
    loading: nothingLoaded,
    sessions: { list: async () => [], delete: async () => [] },
    onClose: () => {},
    ...rest,
  })
}

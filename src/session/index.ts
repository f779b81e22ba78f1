export { type AnswerFile, answerFiles } from "./answers/answer-media.ts"
export { type ChangesOf, readChanges, type SessionChanges } from "./changes/read-changes.ts"
export { type Cleaned, cleanHome } from "./clean/clean-home.ts"
export { cleanSometimes } from "./clean/clean-sometimes.ts"
export { createSession } from "./create-session.ts"
export { imageSources } from "./image-sources.ts"
export { type HostPlaces, hostNames, openHost, toolkeepHome, tryNetworks } from "./open-host.ts"
export {
  openToolkeep,
  type SessionOptions,
  type Toolkeep,
  type ToolkeepOptions,
} from "./open-toolkeep.ts"
export type { CallEntries } from "./record/call-entries.ts"
export { deleteSession, releaseSession } from "./record/delete-session.ts"
export { exportSession } from "./record/export/export-session.ts"
export { importSession } from "./record/export/import-session.ts"
export { type FoundCall, findCall } from "./record/find-call.ts"
export { noSuchSession } from "./record/find-session.ts"
export { createHomeRecord, openHomeRecord } from "./record/home-record.ts"
export { readOutput } from "./record/read-output.ts"
export { readGrants, recordGrants } from "./record/record-grants.ts"
export type { SandboxEntries } from "./record/sandboxes/record-sandboxes.ts"
export type { CallOptions, Session, SessionEvent } from "./session.ts"
export type { Defer } from "./tools/shown-tools.ts"
export type { OpenToolSource, SourceDeps, ToolSource } from "./tools/tool-source.ts"
export { version } from "./version.ts"

export { createApprovalDesk } from "./server/approval-desk.ts"
export { serveLines } from "./server/serve-lines.ts"

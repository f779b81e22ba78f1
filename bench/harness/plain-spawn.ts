import { spawn } from "node:child_process"

/** What sandboxes are compared with: a shell outside any sandbox. */
export function plainSpawn(): Promise<void> {
  return new Promise((resolve, reject) => {
    spawn("bash", ["-c", "true"])
      .on("error", reject)
      .on("close", () => resolve())
  })
}

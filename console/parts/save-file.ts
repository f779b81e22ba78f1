/** Gives bytes to the person as a file. */
export function saveFile(blob: Blob, filename: string): void {
  // As bytes of no type: a browser must not open it as a page of this origin.
  const address = URL.createObjectURL(new Blob([blob], { type: "application/octet-stream" }))
  const link = document.createElement("a")
  link.href = address
  link.download = filename
  link.click()
  // Some browsers read it only after the click was handled.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/**
 * An address that opens the console, or another page of it, and signs in one device. The code is in the fragment, which browsers do not send.
 * They take any name below localhost for this machine, so the console has an origin that no other server has.
 */
export function consoleLink(url: string, code: string, path = "/"): string {
  const address = new URL(path, url)
  if (address.hostname === "127.0.0.1") address.hostname = "toolkeep.localhost"
  return `${address}#in-${code}`
}

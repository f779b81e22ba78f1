/** Where a link in a text of others leads, if a page may lead there. */
export interface SafeLink {
  readonly href: string
  /** To be shown beside the link's own text, which may claim another place. */
  readonly place: string
}

export function safeLink(address: string): SafeLink | null {
  const url = URL.parse(address)
  if (!url) return null
  switch (url.protocol) {
    case "http:":
    case "https:":
      // A name before the host is there to look like one.
      if (url.username !== "" || url.password !== "") return null
      return { href: url.href, place: url.host }
    case "mailto:":
      return { href: url.href, place: decodeText(url.pathname) }
    default:
      return null
  }
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

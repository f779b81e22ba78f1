/** A connection that fails in this way fails again until somebody changes something. */
interface Remedy {
  readonly sign: RegExp
  readonly advice: string
}

const remedies: readonly Remedy[] = [
  {
    sign: /\bbad port\b/,
    advice: "HTTP clients refuse this port: let the server listen on another one.",
  },
  {
    sign: /ERR_INVALID_URL|Invalid URL|Failed to parse URL|unknown scheme/,
    advice: "Correct the address.",
  },
  { sign: /ENOTFOUND/, advice: "No machine has this name: correct the host in the address." },
  {
    sign: /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID/,
    advice: "Renew the server's certificate, or set the clock of this machine.",
  },
  {
    sign: /ERR_TLS_CERT_ALTNAME_INVALID/,
    advice: "The certificate is for another host: use the name that it is for in the address.",
  },
  {
    sign: /\bCERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_/,
    advice:
      "This machine does not trust the server's certificate: set NODE_EXTRA_CA_CERTS to the file of the authority that issued it.",
  },
  {
    sign: /ERR_SSL_|EPROTO|SSL routines/,
    advice:
      "The server does not speak TLS there: write http:// instead of https://, or correct the port.",
  },
]

/** What to change, for a connection that can't get better by itself; null where trying again may help. */
export function permanentRemedy(code: string, words: string): string | null {
  return remedies.find(({ sign }) => sign.test(code) || sign.test(words))?.advice ?? null
}

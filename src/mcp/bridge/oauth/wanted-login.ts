import { InsufficientScopeError, SdkErrorCode, SdkHttpError } from "@modelcontextprotocol/client"
import type { HttpServer } from "../../../config/index.ts"
import type { Logins } from "./logins.ts"
import { NeedsLogin } from "./needs-login.ts"
import { needsLogin, needsScope } from "./session-auth.ts"

/** The login that a failed request asks for, also where it lies deep; null when it asks for none. */
export async function wantedLogin(
  error: unknown,
  server: HttpServer,
  logins: Logins,
): Promise<{ readonly login: NeedsLogin; readonly isForAll: boolean } | null> {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof NeedsLogin) return { login: one, isForAll: true }
    if (InsufficientScopeError.isInstance(one)) {
      // What other calls need may be enough.
      return { login: await needsScope(server, logins, one.requiredScope), isForAll: false }
    }
    if (SdkHttpError.isInstance(one) && one.code === SdkErrorCode.ClientHttpAuthentication) {
      return { login: needsLogin(server, "another"), isForAll: true }
    }
  }
  return null
}

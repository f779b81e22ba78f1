/**
 * The name that model providers accept: letters, digits, "_" and "-". The registry keeps both names
 * and refuses two tools that would look alike here, so the way back is always clear.
 */
export function apiNameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, "_")
}

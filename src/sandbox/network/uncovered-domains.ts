/** Those of the domains, as an allow-list has them, that another allow-list does not allow. */
export async function uncoveredDomains(
  domains: readonly string[],
  allowed: readonly string[],
): Promise<readonly string[]> {
  // Loaded on first use: most sandboxes have no network.
  const { coverRule, parseDomainRule, parseDomainRules } = await import("./domain-rule.ts")
  const rules = parseDomainRules(allowed)
  return domains.filter((text) => !coverRule(rules, parseDomainRule(text)))
}

/** Refuses domains that no allow-list can have. */
export async function checkDomains(domains: readonly string[]): Promise<void> {
  const { parseDomainRules } = await import("./domain-rule.ts")
  parseDomainRules(domains)
}

/** Those of the domains, as an allow-list has them, that the other allow-list does not allow. */
export async function uncoveredDomains(
  domains: readonly string[],
  allowed: readonly string[],
): Promise<readonly string[]> {
  // Loaded on first use: most sandboxes have no network.
  const { coversRule, parseDomainRule, parseDomainRules } = await import("./network/domain-rule.ts")
  const rules = parseDomainRules(allowed)
  return domains.filter((text) => {
    const wished = parseDomainRule(text)
    return !wished.ports.every((port) =>
      rules.some((rule) => rule.ports.includes(port) && coversRule(rule, wished)),
    )
  })
}

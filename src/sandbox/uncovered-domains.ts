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
    const able = rules.filter((rule) => coversRule(rule, wished))
    const isAble = (port: number) =>
      able.some(({ ports }) => ports === "all" || ports.includes(port))
    return wished.ports === "all"
      ? !able.some(({ ports }) => ports === "all")
      : !wished.ports.every(isAble)
  })
}

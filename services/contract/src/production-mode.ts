/** A problem that prevents production mode, with the dashboard page to fix it (protocol, projects §5). */
export type ProductionModeFault = { message: string; relativeFixUrl: string };
type Domains = { allowLocalhost: boolean; domains: readonly { domain: string }[] };

const messages = {
  localhost_allowed: () =>
    "Localhost is not allowed in production mode, turn off 'Allow localhost' in project settings",
  invalid_url: (domain: string) => `Trusted domain is not a valid URL: ${domain}`,
  localhost: () => 'Localhost domains are not allowed to be trusted in production mode',
  ip_address: () => 'Direct IPs are not valid for trusted domains in production mode',
  not_https: () => 'Trusted domains should be HTTPS',
};
export type InsecureDomainKind = keyof typeof messages;
/** `domain`: empty for `localhost_allowed`. */
export type InsecureDomain = { kind: InsecureDomainKind; domain: string };

/** What prevents production mode: at most one problem per domain, in the order of the domains. */
export function findInsecureDomains({ allowLocalhost, domains }: Domains): readonly InsecureDomain[] {
  const found = domains.flatMap(({ domain }) => {
    const kind = kindOf(domain);
    return kind === null ? [] : [{ kind, domain }];
  });
  return allowLocalhost ? [{ kind: 'localhost_allowed', domain: '' }, ...found] : found;
}

/** Empty when the project is ready for production mode. */
export function productionModeFaults(projectId: string, config: Domains): readonly ProductionModeFault[] {
  return findInsecureDomains(config).map(({ kind, domain }) => ({
    message: messages[kind](domain),
    relativeFixUrl: `/projects/${projectId}/domains`,
  }));
}

function kindOf(domain: string): InsecureDomainKind | null {
  if (!URL.canParse(domain)) return 'invalid_url';
  const { hostname, protocol } = new URL(domain);
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\.\d+\.\d+\.\d+$/.test(hostname)) {
    return 'localhost';
  }
  if (/^[\d.]+$/.test(hostname)) return 'ip_address';
  return protocol === 'https:' ? null : 'not_https';
}

/** A problem that prevents production mode, with the dashboard page to fix it (protocol, projects §5). */
export type ProductionModeFault = { message: string; relativeFixUrl: string };
type Domains = { allowLocalhost: boolean; domains: readonly { domain: string }[] };

/** Empty when the project is ready for production mode. At most one fault per domain, in the order of the domains. */
export function productionModeFaults(projectId: string, config: Domains): readonly ProductionModeFault[] {
  const messages = config.domains.flatMap(({ domain }) => domainFault(domain) ?? []);
  if (config.allowLocalhost) {
    messages.unshift("Localhost is not allowed in production mode, turn off 'Allow localhost' in project settings");
  }
  return messages.map((message) => ({ message, relativeFixUrl: `/projects/${projectId}/domains` }));
}

function domainFault(domain: string): string | null {
  if (!URL.canParse(domain)) return `Trusted domain is not a valid URL: ${domain}`;
  const { hostname, protocol } = new URL(domain);
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || /^127\.\d+\.\d+\.\d+$/.test(hostname)) {
    return 'Localhost domains are not allowed to be trusted in production mode';
  }
  if (/^[\d.]+$/.test(hostname)) return 'Direct IPs are not valid for trusted domains in production mode';
  return protocol === 'https:' ? null : 'Trusted domains should be HTTPS';
}

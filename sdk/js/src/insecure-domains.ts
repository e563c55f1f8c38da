import { findInsecureDomains as find } from '@gatebook/contract/production-mode';
import type { ProjectConfig } from './project-config-fields.ts';

export type InsecureDomainKind = 'localhost_allowed' | 'invalid_url' | 'localhost' | 'ip_address' | 'not_https';
/** `domain`: empty for `localhost_allowed`. */
export type InsecureDomain = { kind: InsecureDomainKind; domain: string };

/** What prevents production mode: at most one problem per domain, in the order of the domains. */
export const findInsecureDomains = (
  config: Pick<ProjectConfig, 'allowLocalhost' | 'domains'>,
): readonly InsecureDomain[] => find(config);

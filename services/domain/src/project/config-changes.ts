import { compareIds } from '../permission/effective.ts';
import type { ProjectConfig, ProjectSecrets } from './config.ts';

/** Keeps only secrets that are still used: of listed providers and of the project's own mail server. */
export function removeUnusedSecrets(
  { oauthClientSecrets, emailPassword }: ProjectSecrets,
  config: ProjectConfig,
): ProjectSecrets {
  const listed = config.oauthProviders.flatMap(({ id }) => {
    const secret = oauthClientSecrets[id];
    return secret === undefined ? [] : [[id, secret]];
  });
  return {
    oauthClientSecrets: Object.fromEntries(listed),
    emailPassword: config.emailConfig.type === 'standard' ? emailPassword : null,
  };
}

/**
 * Stores lists in the order in which they are read: by ID or domain, compared in upper case. The last of several
 * entries with the same ID wins.
 */
export function sortLists(config: ProjectConfig): ProjectConfig {
  const ids = (list: readonly string[]) => [...new Set(list)].sort(compareIds);
  return {
    ...config,
    oauthProviders: deduplicate(config.oauthProviders, ({ id }) => id),
    domains: deduplicate(config.domains, ({ domain }) => domain),
    teamCreatorDefaultPermissions: ids(config.teamCreatorDefaultPermissions),
    teamMemberDefaultPermissions: ids(config.teamMemberDefaultPermissions),
    userDefaultPermissions: ids(config.userDefaultPermissions),
  };
}

function deduplicate<T>(list: readonly T[], nameOf: (entry: T) => string): T[] {
  const byName = new Map(list.map((entry) => [nameOf(entry), entry]));
  return [...byName.values()].sort((one, other) => compareIds(nameOf(one), nameOf(other)));
}

/** Names of the fields whose JSON differs. */
export function findChangedFields<T extends Record<string, unknown>>(before: T, after: T): string[] {
  return Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

export function withoutUndefined<T extends Record<string, unknown>>(
  values: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

import type { AuditFilters } from '@gatebook/js/admin';

export const auditTabs = ['all', 'administration', 'activity'] as const;
export type AuditTab = (typeof auditTabs)[number];

/** What filters select, each by its name in the URL. */
export const auditFields = [
  'type',
  'outcome',
  'actor',
  'target',
  'action',
  'ip',
  'from',
  'until',
  'technical',
] as const;
export type AuditField = (typeof auditFields)[number];
/**
 * The state of the audit log, kept entirely in the URL. `target` is `<type>:<id>`, `from` and `until` are milliseconds,
 * `event` is the ID of the open event.
 */
export type AuditSearch = { tab: AuditTab; event?: string } & Partial<Record<AuditField, string>>;

export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const given = [...auditFields, 'event'].flatMap((name) => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(given), tab: auditTabs.find((tab) => tab === search.tab) ?? 'all' };
}

/** The URL of that state, without default values. */
export function auditHref(projectId: string, { tab, ...given }: Partial<AuditSearch>): string {
  const entries = Object.entries({ ...(tab !== 'all' && { tab }), ...given });
  const search = new URLSearchParams(entries.filter((entry): entry is [string, string] => !!entry[1])).toString();
  return `/projects/${projectId}/audit-log${search === '' ? '' : `?${search}`}`;
}

const actorsOf: Readonly<Record<AuditTab, string | undefined>> = {
  all: undefined,
  administration: 'owner,admin,server,operator,system',
  activity: 'user,client',
};

/** The query of the API for that state. */
export function filtersOf({ tab, ...search }: AuditSearch): AuditFilters {
  const [targetType, targetId] = splitTarget(search.target);
  return {
    type: search.type,
    outcome: search.outcome === 'rejected' || search.outcome === 'success' ? search.outcome : undefined,
    actorKind: actorsOf[tab],
    actorId: search.actor,
    targetType,
    targetId,
    actionId: search.action,
    ip: search.ip,
    fromMillis: millisOf(search.from),
    untilMillis: millisOf(search.until),
    includeTechnical: search.technical === undefined ? undefined : true,
  };
}

export function splitTarget(target: string | undefined): [type: string | undefined, id: string | undefined] {
  const at = target?.indexOf(':') ?? -1;
  return target === undefined || at < 0 ? [undefined, target] : [target.slice(0, at), target.slice(at + 1)];
}

export function millisOf(text: string | undefined): number | undefined {
  const millis = Number(text);
  return text === undefined || !Number.isSafeInteger(millis) || millis < 0 ? undefined : millis;
}

const address = /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:]+)(\/\d{1,3})?$/i;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What somebody pasted into the search field: an IP address, the ID of an object, or else a request ID. */
export function searchFor(text: string): Partial<AuditSearch> {
  if (address.test(text)) return { ip: text };
  return uuid.test(text) ? { target: text } : { action: text };
}

/** The page that explains why a request was rejected. */
export const rejectionHref = (projectId: string, requestId: string): string =>
  `/projects/${projectId}/rejections/${encodeURIComponent(requestId)}`;

import type { AuditFilters } from '@gatebook/js/admin';

export const auditTabs = ['all', 'administration', 'activity'] as const;
export type AuditTab = (typeof auditTabs)[number];

/** What filters select, each by its name in the URL. */
export const auditFields = [
  'type',
  'outcome',
  'kind',
  'actor',
  'target',
  'action',
  'ip',
  'from',
  'until',
  'technical',
  'not_type',
  'not_kind',
  'not_actor',
  'not_target',
  'not_action',
  'not_ip',
] as const;
export type AuditField = (typeof auditFields)[number];
/**
 * The state of the audit log, kept entirely in the URL. `target` is `<type>:<id>`, `kind` is a kind of actors, `from`
 * and `until` are milliseconds, or hours or days before now such as `-7d`. `event` is the ID of the open event.
 * `not_…` are lists of values that are left out. `zone` is `utc` if times are in UTC.
 */
export type AuditSearch = { tab: AuditTab; event?: string; zone?: string } & Partial<Record<AuditField, string>>;

/** Fields whose values can be left out. */
export const excludableFields = ['type', 'kind', 'actor', 'target', 'action', 'ip'] as const;
export type ExcludableField = (typeof excludableFields)[number];
/** What one value of an event selects. */
export type ValueFilter = Partial<Record<ExcludableField, string>>;
/** `isExcluded`: the value is left out instead. */
export type OnFilter = (filter: ValueFilter, isExcluded?: boolean) => void;

export const valuesOf = (list: string | undefined): string[] => list?.split(',').filter((value) => value !== '') ?? [];
const toList = (values: readonly string[]): string | undefined => (values.length === 0 ? undefined : values.join(','));

/** What a filter changes: a value is either selected or left out. */
export function changeOf(search: AuditSearch, filter: ValueFilter, isExcluded = false): Partial<AuditSearch> {
  const change: Partial<AuditSearch> = {};
  for (const field of excludableFields) {
    const value = filter[field];
    if (value === undefined) continue;
    const others = valuesOf(search[`not_${field}`]).filter((other) => other !== value);
    change[`not_${field}`] = toList(isExcluded ? [...others, value] : others);
    if (!isExcluded) change[field] = value;
    else if (search[field] === value) change[field] = undefined;
  }
  return change;
}

/** `value`: of a field with several. */
export type SetFilter = { field: AuditField; value?: string };

export function withoutFilters(search: AuditSearch, removed: readonly SetFilter[]): Partial<AuditSearch> {
  const change: Partial<AuditSearch> = {};
  for (const { field } of removed) {
    const gone = removed.filter((each) => each.field === field);
    const isAll = gone.some(({ value }) => value === undefined);
    const rest = valuesOf(search[field]).filter((value) => gone.every((each) => each.value !== value));
    change[field] = isAll ? undefined : toList(rest);
  }
  return change;
}

export function readAuditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const given = [...auditFields, 'event', 'zone'].flatMap((name) => {
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

/** The query of the API for that state at `now`. */
export function filtersOf({ tab, ...search }: AuditSearch, now: number): AuditFilters {
  const [targetType, targetId] = splitTarget(search.target);
  return {
    type: search.type,
    outcome: search.outcome === 'rejected' || search.outcome === 'success' ? search.outcome : undefined,
    actorKind: search.kind ?? actorsOf[tab],
    actorId: search.actor,
    targetType,
    targetId,
    actionId: search.action,
    ip: search.ip,
    fromMillis: millisOf(search.from, now),
    untilMillis: millisOf(search.until, now),
    includeTechnical: search.technical === undefined ? undefined : true,
    excludeType: search.not_type,
    excludeActorKind: search.not_kind,
    excludeActorId: search.not_actor,
    excludeTargetId: toList(valuesOf(search.not_target).map((target) => splitTarget(target)[1] ?? target)),
    excludeActionId: search.not_action,
    excludeIp: search.not_ip,
  };
}

export function splitTarget(target: string | undefined): [type: string | undefined, id: string | undefined] {
  const at = target?.indexOf(':') ?? -1;
  return target === undefined || at < 0 ? [undefined, target] : [target.slice(0, at), target.slice(at + 1)];
}

const unitMillis = { h: 3_600_000, d: 86_400_000 };

export function millisOf(text: string | undefined, now: number): number | undefined {
  const [, count, unit] = /^-(\d{1,5})([hd])$/.exec(text ?? '') ?? [];
  if (count !== undefined) return now - Number(count) * unitMillis[unit === 'h' ? 'h' : 'd'];
  const millis = Number(text);
  return text === undefined || !Number.isSafeInteger(millis) || millis < 0 ? undefined : millis;
}

const address = /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f]*:[0-9a-f:]+)(\/\d{1,3})?$/i;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What somebody pasted into the search field: an IP address, the ID of an object, or else a request ID. */
export function searchFor(text: string): ValueFilter {
  if (address.test(text)) return { ip: text };
  return uuid.test(text) ? { target: text } : { action: text };
}

/** The page that explains why a request was rejected. */
export const rejectionHref = (projectId: string, requestId: string): string =>
  `/projects/${projectId}/rejections/${encodeURIComponent(requestId)}`;

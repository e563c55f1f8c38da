import { listAuditTypes } from '@gatebook/domain/audit/audit-types';

/** `null` matches every value. `from` and `until` are milliseconds since 1970; `until` is exclusive. */
export type AuditFilters = {
  types: readonly string[] | null;
  actorKinds: readonly string[] | null;
  actorId: string | null;
  targetType: string | null;
  targetId: string | null;
  requestId: string | null;
  causationId: string | null;
  from: number | null;
  until: number | null;
  includeTechnical: boolean;
};

export const anyAuditEvent: AuditFilters = {
  types: null,
  actorKinds: null,
  actorId: null,
  targetType: null,
  targetId: null,
  requestId: null,
  causationId: null,
  from: null,
  until: null,
  includeTechnical: true,
};

/**
 * The columns whose values decide where an index is read. `cast`: their types, text unless given. `maxValues`: how many
 * values a filter can have, 1 unless given.
 */
export type AuditDriver = {
  name: string;
  columns: readonly string[];
  cast: Readonly<Record<string, string>>;
  maxValues?: number;
};

/** The type of a column, as SQL casts values to it. */
export const typeOf = ({ cast }: AuditDriver, column: string): string => cast[column] ?? 'text';

export const auditDrivers = {
  request: { name: 'request', columns: ['request_id'], cast: {} },
  cause: { name: 'cause', columns: ['causation_id'], cast: {} },
  target: {
    name: 'target',
    columns: ['user_id', 'team_id', 'object_id'],
    cast: { user_id: 'uuid', team_id: 'uuid' },
  },
  user: { name: 'user', columns: ['user_id'], cast: { user_id: 'uuid' } },
  object: { name: 'object', columns: ['object_id'], cast: {} },
  actor: { name: 'actor', columns: ['actor_id', 'impersonator_id'], cast: {} },
  type: { name: 'type', columns: ['type'], cast: {}, maxValues: listAuditTypes(() => true).length },
  actorKind: { name: 'actor-kind', columns: ['actor_kind'], cast: {}, maxValues: 16 },
  time: { name: 'time', columns: ['is_technical'], cast: { is_technical: 'boolean' }, maxValues: 2 },
} as const satisfies Readonly<Record<string, AuditDriver>>;

const isUuid = (id: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);

/** The filter that leaves the fewest rows, and its values. */
export function driverOf(filters: AuditFilters): { driver: AuditDriver; values: readonly string[] } {
  const { types, actorKinds, actorId, targetType, targetId, requestId, causationId, includeTechnical } = filters;
  if (requestId !== null) return { driver: auditDrivers.request, values: [requestId] };
  if (causationId !== null) return { driver: auditDrivers.cause, values: [causationId] };
  if (targetId !== null) return { driver: targetDriver(targetType, targetId), values: [targetId] };
  if (actorId !== null) return { driver: auditDrivers.actor, values: [actorId] };
  if (types !== null) return { driver: auditDrivers.type, values: [...new Set(types)] };
  if (targetType !== null) return { driver: auditDrivers.type, values: typesOfTarget(targetType, includeTechnical) };
  if (actorKinds !== null) return { driver: auditDrivers.actorKind, values: [...new Set(actorKinds)] };
  return { driver: auditDrivers.time, values: includeTechnical ? ['false', 'true'] : ['false'] };
}

function targetDriver(type: string | null, id: string): AuditDriver {
  if (!isUuid(id)) return auditDrivers.object;
  if (type === 'user') return auditDrivers.user;
  return type === null || type === 'team' ? auditDrivers.target : auditDrivers.object;
}

const typesOfTarget = (targetType: string, includeTechnical: boolean) =>
  listAuditTypes(
    ({ targets, isTechnical }) =>
      targets.types.some((type) => type === targetType) && (includeTechnical || isTechnical !== true),
  );

/** Whether every row that the driver finds matches, so that exactly as many rows as needed are read. */
export function isExact(filters: AuditFilters): boolean {
  const { from: _, until: __, includeTechnical, ...others } = filters;
  const given = Object.values(others).filter((value) => value !== null);
  if (given.length === 0) return true;
  return given.length === 1 && filters.targetType === null && (includeTechnical || filters.types !== null);
}

/** SQL condition of the filters, whose values begin at parameter `first`: null is any. */
export function matches(first: number): string {
  const [types, kinds, actor, targetType, target, request, cause, technical] = Array.from(
    { length: 8 },
    (_, nth) => `$${first + nth}`,
  );
  return `(${types}::text[] is null or type = any(${types}))
    and (${kinds}::text[] is null or actor_kind = any(${kinds}))
    and (${actor}::text is null or actor_id = ${actor} or impersonator_id = ${actor})
    and (${targetType}::text is null or case ${targetType} when 'user' then user_id is not null
      when 'team' then team_id is not null else object_type = ${targetType} end)
    and (${target}::text is null or case coalesce(${targetType}, '') when 'user' then user_id::text = ${target}
      when 'team' then team_id::text = ${target} when '' then ${target} in (user_id::text, team_id::text, object_id)
      else object_id = ${target} end)
    and (${request}::text is null or request_id = ${request})
    and (${cause}::text is null or causation_id = ${cause})
    and (${technical}::boolean or not is_technical)`;
}

export function matchValues(filters: AuditFilters): readonly unknown[] {
  const { types, actorKinds, actorId, targetType, targetId, requestId, causationId, includeTechnical } = filters;
  return [
    ...[types, actorKinds, actorId, targetType, targetId, requestId, causationId],
    includeTechnical || types !== null,
  ];
}

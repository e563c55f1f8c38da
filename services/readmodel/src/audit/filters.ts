import { listAuditTypes } from '@gatebook/domain/audit/audit-types';

/** Values to exclude; the lists can be empty. */
export type AuditExclusions = {
  actorIds: readonly string[];
  targetTypes: readonly string[];
  targetIds: readonly string[];
  requestIds: readonly string[];
};

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
  except: AuditExclusions | null;
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
  except: null,
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
  if (types !== null || targetType !== null) {
    const ofTarget = targetType === null ? null : typesOfTarget(targetType, includeTechnical);
    const values = types?.filter((type) => ofTarget?.includes(type) ?? true) ?? ofTarget ?? [];
    return { driver: auditDrivers.type, values: [...new Set(values)] };
  }
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
  const { from: _, until: __, includeTechnical, except, ...others } = filters;
  if (except !== null) return false;
  const given = Object.values(others).filter((value) => value !== null);
  if (given.length === 0) return true;
  return given.length === 1 && filters.targetType === null && includeTechnical;
}

/** SQL condition of the filters, whose values begin at parameter `first`: null is any. */
export function matches(first: number): string {
  const [types, kinds, actor, targetType, target, request, cause, technical, ...except] = Array.from(
    { length: 12 },
    (_, nth) => `$${first + nth}`,
  );
  const [noActors, noTargetTypes, noTargets, noRequests] = except.map((parameter) => `${parameter}::text[]`);
  const isOneOf = (column: string, values: string | undefined) => `coalesce(${column} = any(${values}), false)`;
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
    and (${technical}::boolean or not is_technical)
    and (${noActors} is null or not (${isOneOf('actor_id', noActors)} or ${isOneOf('impersonator_id', noActors)}))
    and (${noTargetTypes} is null or not (${isOneOf('object_type', noTargetTypes)}
      or (user_id is not null and 'user' = any(${noTargetTypes})) or (team_id is not null and 'team' = any(${noTargetTypes}))))
    and (${noTargets} is null or not (${isOneOf('user_id::text', noTargets)} or ${isOneOf('team_id::text', noTargets)}
      or ${isOneOf('object_id', noTargets)}))
    and (${noRequests} is null or request_id <> all(${noRequests}))`;
}

export function matchValues(filters: AuditFilters): readonly unknown[] {
  const { types, actorKinds, actorId, targetType, targetId, requestId, causationId, includeTechnical, except } =
    filters;
  return [
    ...[types, actorKinds, actorId, targetType, targetId, requestId, causationId, includeTechnical],
    ...[except?.actorIds, except?.targetTypes, except?.targetIds, except?.requestIds].map((list) => list ?? null),
  ];
}

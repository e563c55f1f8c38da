import { AuditActorKind, type AuditEventsQuery } from '@gatebook/contract/audit';
import { auditTypeOf, listAuditTypes } from '@gatebook/domain/audit/audit-types';
import { reject } from '@gatebook/domain/errors';
import { type Definitions, withSystemPermissions } from '@gatebook/domain/permission/effective';
import type { RejectionExclusions, RejectionFilters } from '@gatebook/readmodel/activity/rejection-list';
import type { AuditExclusions, AuditFilters } from '@gatebook/readmodel/audit/filters';
import type { z } from 'zod';
import { rejectionCategory, rejectionType } from './wire.ts';

export type AuditQuery = Omit<z.output<typeof AuditEventsQuery>, 'order' | 'limit' | 'cursor'>;

/** Addresses and networks, which are compared with what the log says. `within`: null is any. */
export type AddressFilter = { within: string | null; except: readonly string[] };
/** `events`, `rejections`: null if none of them match. `address`: null is any. */
export type Search = {
  events: AuditFilters | null;
  rejections: RejectionFilters | null;
  address: AddressFilter | null;
};

/** @throws DomainError SCHEMA_ERROR for an unknown type or category */
export function searchOf(query: AuditQuery, permissions: Definitions): Search {
  const { outcome, from_millis: from = null, until_millis: until = null, ip = null, exclude_ip: except = [] } = query;
  const named = typesOf(query);
  // A type that is asked for is shown even if it is technical.
  const includeTechnical = (query.include_technical ?? false) || named !== null;
  const types = withoutExcluded(named ?? listShown(includeTechnical), excludedTypes(query)) ?? named;
  const actorKinds = withoutExcluded(query.actor_kind ?? AuditActorKind.options, query.exclude_actor_kind);
  const filters = { types, actorKinds: actorKinds ?? query.actor_kind ?? null, includeTechnical };
  const isNone = types?.length === 0 || filters.actorKinds?.length === 0;
  const common = { from, until };
  return {
    events: outcome === 'rejected' || isNone ? null : { ...eventFilters(query, permissions), ...filters, ...common },
    rejections: outcome === 'success' ? null : rejectionFilters(query, filters.actorKinds, common),
    address: ip === null && except.length === 0 ? null : { within: ip, except },
  };
}

/** null: nothing is excluded. */
const withoutExcluded = <Value>(values: readonly Value[], excluded: readonly Value[] | undefined) =>
  excluded ? values.filter((value) => !excluded.includes(value)) : null;

const listShown = (includeTechnical: boolean) =>
  listAuditTypes(({ isTechnical }) => includeTechnical || isTechnical !== true);

function ofCategory(wanted: string, includeTechnical = true): string[] {
  const all = listAuditTypes((type) => type.category === wanted);
  if (all.length === 0 && wanted !== rejectionCategory)
    reject('SCHEMA_ERROR', { message: `unknown category ${wanted}` });
  return includeTechnical ? all : all.filter((type) => auditTypeOf(type)?.isTechnical !== true);
}

/** The types that a list names by themselves and by category. */
const namedTypes = (names: readonly string[], includeTechnical?: boolean): string[] =>
  names.flatMap((name) => {
    if (name.endsWith('.*')) return ofCategory(name.slice(0, -2), includeTechnical);
    if (name === rejectionType) return [];
    return auditTypeOf(name) ? [name] : reject('SCHEMA_ERROR', { message: `unknown type ${name}` });
  });

function excludedTypes({ exclude_type: names, exclude_category: categories }: AuditQuery): string[] | undefined {
  if (names === undefined && categories === undefined) return undefined;
  return [...namedTypes(names ?? []), ...(categories ?? []).flatMap((category) => ofCategory(category))];
}

/** All types that the query names; null: it names none. */
function typesOf({ type: names, category, include_technical: includeTechnical = false }: AuditQuery): string[] | null {
  const named = names && namedTypes(names, includeTechnical);
  const inCategory = category === undefined ? null : ofCategory(category, includeTechnical || named !== undefined);
  if (!named) return inCategory;
  return [...new Set(inCategory ? named.filter((type) => inCategory.includes(type)) : named)];
}

function eventFilters(query: AuditQuery, permissions: Definitions) {
  const { target_type: targetType = null, target_id: targetId = null } = query;
  return {
    actorId: query.actor_id ?? null,
    targetType,
    targetId: targetType === 'permission' && targetId !== null ? keyOf(targetId, permissions) : targetId,
    requestId: query.action_id ?? null,
    causationId: null,
    except: exceptedEvents(query, permissions),
  };
}

function exceptedEvents(query: AuditQuery, permissions: Definitions): AuditExclusions | null {
  const { exclude_actor_id: actorIds = [], exclude_action_id: requestIds = [] } = query;
  const { exclude_target_type: targetTypes = [], exclude_target_id: ids = [] } = query;
  const targetIds = ids.flatMap((id) => [id, keyOf(id, permissions)]);
  const lists = { actorIds, targetTypes, targetIds, requestIds };
  return Object.values(lists).some((list) => list.length > 0) ? lists : null;
}

/** Events name permissions by key. Accepts the current ID too. */
const keyOf = (id: string, permissions: Definitions) =>
  withSystemPermissions(permissions).find((definition) => definition.id === id)?.key ?? id;

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function rejectionFilters(
  query: AuditQuery,
  kinds: readonly string[] | null,
  common: Pick<RejectionFilters, 'from' | 'until'>,
): RejectionFilters | null {
  const { type, category, target_type: targetType, target_id: targetId, actor_id: actorId } = query;
  const { exclude_type: noTypes = [], exclude_category: noCategories = [] } = query;
  if (noTypes.some(namesRejections) || noCategories.includes(rejectionCategory)) return null;
  if (!(type?.some(namesRejections) ?? true) || (category !== undefined && category !== rejectionCategory)) return null;
  if ((targetType !== undefined && targetType !== 'user') || (targetId !== undefined && !uuidForm.test(targetId)))
    return null;
  if (targetId !== undefined && actorId !== undefined && targetId !== actorId) return null;
  const accessTypes = kinds?.flatMap((kind) => {
    if (kind === 'client') return ['client', null];
    return kind === 'server' || kind === 'admin' ? [kind] : [];
  });
  if (accessTypes?.length === 0) return null;
  return {
    accessTypes: accessTypes ?? null,
    isWithUser: targetType === 'user',
    userId: targetId ?? actorId ?? null,
    requestId: query.action_id ?? null,
    network: query.ip ?? null,
    except: exceptedRejections(query),
    ...common,
  };
}

const namesRejections = (name: string) => name === rejectionType || name === `${rejectionCategory}.*`;

function exceptedRejections(query: AuditQuery): RejectionExclusions | null {
  const isWithUser = query.exclude_target_type?.includes('user') ?? false;
  const ids = [...(query.exclude_actor_id ?? []), ...(query.exclude_target_id ?? [])];
  const userIds = ids.filter((id) => uuidForm.test(id));
  const { exclude_action_id: requestIds = [], exclude_ip: networks = [] } = query;
  const isAny = isWithUser || [userIds, requestIds, networks].some((list) => list.length > 0);
  return isAny ? { isWithUser, userIds, requestIds, networks } : null;
}

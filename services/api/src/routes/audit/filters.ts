import type { AuditEventsQuery } from '@gatebook/contract/audit';
import { auditTypeOf, listAuditTypes } from '@gatebook/domain/audit/audit-types';
import { reject } from '@gatebook/domain/errors';
import { type Definitions, withSystemPermissions } from '@gatebook/domain/permission/effective';
import type { RejectionFilters } from '@gatebook/readmodel/activity/rejection-list';
import type { AuditFilters } from '@gatebook/readmodel/audit/filters';
import type { z } from 'zod';
import { rejectionCategory, rejectionType } from './wire.ts';

export type AuditQuery = Omit<z.output<typeof AuditEventsQuery>, 'order' | 'limit' | 'cursor'>;

/** null: none of them match. `ip`: an address or a network, which is compared with what the log says. */
export type Search = { events: AuditFilters | null; rejections: RejectionFilters | null; ip: string | null };

/** @throws DomainError SCHEMA_ERROR for an unknown type or category */
export function searchOf(query: AuditQuery, permissions: Definitions): Search {
  const { outcome, from_millis: from = null, until_millis: until = null, ip = null } = query;
  const types = typesOf(query);
  const common = { from, until };
  return {
    events:
      outcome === 'rejected' || types?.length === 0 ? null : { ...eventFilters(query, types, permissions), ...common },
    rejections: outcome === 'success' ? null : rejectionFilters(query, common),
    ip,
  };
}

/** All types that the query names; null: it names none. */
function typesOf({ type: names, category, include_technical: includeTechnical = false }: AuditQuery): string[] | null {
  const ofCategory = (wanted: string, withTechnical: boolean) => {
    const all = listAuditTypes((type) => type.category === wanted);
    if (all.length === 0 && wanted !== rejectionCategory)
      reject('SCHEMA_ERROR', { message: `unknown category ${wanted}` });
    return withTechnical ? all : all.filter((type) => auditTypeOf(type)?.isTechnical !== true);
  };
  const named = names?.flatMap((name) => {
    if (name.endsWith('.*')) return ofCategory(name.slice(0, -2), includeTechnical);
    if (name === rejectionType) return [];
    return auditTypeOf(name) ? [name] : reject('SCHEMA_ERROR', { message: `unknown type ${name}` });
  });
  const inCategory = category === undefined ? null : ofCategory(category, includeTechnical || named !== undefined);
  if (!named) return inCategory;
  return [...new Set(inCategory ? named.filter((type) => inCategory.includes(type)) : named)];
}

function eventFilters(query: AuditQuery, types: string[] | null, permissions: Definitions) {
  const { target_type: targetType = null, target_id: targetId = null } = query;
  return {
    types,
    actorKinds: query.actor_kind ?? null,
    actorId: query.actor_id ?? null,
    targetType,
    targetId: targetType === 'permission' && targetId !== null ? keyOf(targetId, permissions) : targetId,
    requestId: query.action_id ?? null,
    causationId: null,
    includeTechnical: query.include_technical ?? false,
  };
}

/** Events name permissions by key. Accepts the current ID too. */
const keyOf = (id: string, permissions: Definitions) =>
  withSystemPermissions(permissions).find((definition) => definition.id === id)?.key ?? id;

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function rejectionFilters(
  query: AuditQuery,
  common: Pick<RejectionFilters, 'from' | 'until'>,
): RejectionFilters | null {
  const { type, category, target_type: targetType, target_id: targetId, actor_id: actorId, actor_kind: kinds } = query;
  const isNamed = type?.some((name) => name === rejectionType || name === `${rejectionCategory}.*`) ?? true;
  if (!isNamed || (category !== undefined && category !== rejectionCategory)) return null;
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
    ...common,
  };
}

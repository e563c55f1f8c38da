import type { AuditClient, AuditEvent } from '@gatebook/js/admin';
import { findNeighbor } from '../../components/audit/audit-moments.ts';
import type { ObjectType } from '../../components/audit/target-pages.ts';

type Audit = Pick<AuditClient, 'list'>;
/** What an event concerns. */
export type Owner = { type: 'user' | 'team'; id: string; name: string | null };
/** `before`: the last event of the project before the end, null if there is none. */
export type End = { event: AuditEvent; before: AuditEvent | null };
/** `end` is null while the object exists. `owner`: of an API key. */
export type FoundObject = { name: string | null; owner: Owner | null; end: End | null };

/** The newest event of one of these types says whether the object exists: those in `ends` end it. */
const states: Readonly<Record<ObjectType, { types: string; ends: string }>> = {
  project_key: { types: 'ProjectKeyRevoked', ends: 'ProjectKeyRevoked' },
  api_key: { types: 'ApiKeyRevoked', ends: 'ApiKeyRevoked' },
  permission: {
    types: 'PermissionDefinitionCreated,PermissionDefinitionChanged,PermissionDefinitionDeleted',
    ends: 'PermissionDefinitionDeleted',
  },
  email_template: { types: 'EmailTemplateChanged,EmailTemplateReset', ends: 'EmailTemplateReset' },
};

/** What the audit log knows of an object; null if it has no events. */
export async function findObject(audit: Audit, type: ObjectType, id: string): Promise<FoundObject | null> {
  const ofObject = { targetType: type, targetId: id, outcome: 'success', limit: 1 } as const;
  const newest = await findFirst(audit, ofObject);
  if (!newest) return null;
  const owner = type === 'api_key' ? await findOwner(audit, id) : null;
  const last = await findFirst(audit, { ...ofObject, type: states[type].types });
  const own = last?.type === states[type].ends ? last : null;
  const event = own ?? (owner && (await findEndOfOwner(audit, owner)));
  const name = newest.targets.find((target) => target.type === type)?.displayName ?? null;
  return {
    name,
    owner: owner && { type: owner.type, id: owner.id, name: owner.name },
    end: event && { event, before: await findNeighbor(audit, { includeTechnical: true }, event, 'desc') },
  };
}

const findFirst = async (audit: Audit, query: Parameters<Audit['list']>[0]): Promise<AuditEvent | null> =>
  (await audit.list(query)).items[0] ?? null;

type Owned = Owner & { since: number };

/** The user or team of an API key, since when it is theirs. */
async function findOwner(audit: Audit, keyId: string): Promise<Owned | null> {
  const query = { type: 'ApiKeyCreated,ApiKeyMoved', targetType: 'api_key', targetId: keyId, limit: 1 };
  const event = await findFirst(audit, query);
  const target = event?.targets.find(({ type }) => type === 'user' || type === 'team');
  if (!event || !target) return null;
  const { id, displayName: name } = target;
  return { type: target.type === 'team' ? 'team' : 'user', id, name, since: event.at.getTime() };
}

/** What ended all keys of a user or a team. A restored user has none; a restored team has them again. */
async function findEndOfOwner(audit: Audit, { type, id, since }: Owned): Promise<AuditEvent | null> {
  const ofOwner = { targetType: type, targetId: id, outcome: 'success', limit: 1, fromMillis: since } as const;
  if (type === 'user')
    return findFirst(audit, { ...ofOwner, type: 'UserApiKeysRevoked,UserDeletionScheduled,UserDeleted', order: 'asc' });
  const last = await findFirst(audit, { ...ofOwner, type: 'TeamDeletionScheduled,TeamDeletionCanceled,TeamDeleted' });
  return last?.type === 'TeamDeletionCanceled' ? null : last;
}

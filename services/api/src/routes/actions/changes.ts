import type { TargetChange } from '@gatebook/contract/previews';
import { auditedStream } from '@gatebook/domain/audit/audited-streams';
import { fieldChanges } from '@gatebook/domain/audit/field-changes';
import type { DomainEvent, Recorded } from '@gatebook/domain/event';
import { type Definitions, withSystemPermissions } from '@gatebook/domain/permission/effective';
import type { ActiveProject } from '@gatebook/domain/project/state';
import type { EventStore, Write } from '@gatebook/eventlog/port';
import { sha256 } from '@gatebook/runtime/hash';
import { targetOfStream } from '../../targets.ts';

/** What happens to one stream: its events from a revision on. States are those that are audited. */
export type StreamChange = { stream: string; events: readonly DomainEvent[]; before: unknown; after: unknown };

/** Joins the writes to each stream, and folds the states around them. `clean`: for the events before the writes. */
export async function foldWrites(
  store: Pick<EventStore, 'readStreamPages'>,
  writes: readonly Write[],
  clean: (event: Recorded) => Recorded = (event) => event,
): Promise<readonly StreamChange[]> {
  const streams = [...new Set(writes.map(({ stream }) => stream))];
  return Promise.all(
    streams.map(async (stream) => {
      const own = writes.filter((write) => write.stream === stream);
      const events = own.flatMap((write) => write.events);
      const audited = auditedStream(stream);
      if (!audited) return { stream, events, before: null, after: null };
      let before = audited.initialState;
      for await (const page of store.readStreamPages(stream)) {
        const earlier = page.filter(({ revision }) => revision <= (own[0]?.expected ?? -1n));
        before = earlier.map(clean).reduce(audited.evolve, before);
      }
      return { stream, events, before, after: events.reduce(audited.evolve, before) };
    }),
  );
}

export const digest = (json: string) => ({ bytes: Buffer.byteLength(json), sha256: sha256(json) });

/** Permission definitions of after the changes, then those of before, then the current ones. */
export const knownDefinitions = (changes: readonly StreamChange[], current: Definitions): Definitions => [
  ...changes.flatMap(({ after, before }) => [after, before]).flatMap(definitionsIn),
  ...current,
];

/** The fields that differ, by their names in requests. */
export function describeChanges(changes: readonly StreamChange[], definitions: Definitions): TargetChange[] {
  return changes.flatMap(({ stream, before, after }) => {
    const audited = auditedStream(stream);
    if (!audited) return [];
    const target = targetOfStream(stream);
    return fieldChanges(audited.fieldsOf(before), audited.fieldsOf(after), digest).map(
      ({ field, before: old, after: current, isRedacted }) => ({
        target,
        field: withPermissionIds(field, definitions),
        before: old as TargetChange['before'],
        after: current as TargetChange['after'],
        is_redacted: isRedacted,
      }),
    );
  });
}

/** The permissions of a project; no other state has a list of permissions. */
function definitionsIn(state: unknown): Definitions {
  const { permissions } = (state ?? {}) as Partial<ActiveProject>;
  return Array.isArray(permissions) ? permissions : [];
}

/** Replaces the key of a permission in the name of a field by its ID. */
export function withPermissionIds(field: string, definitions: Definitions): string {
  const [kind, key, ...rest] = field.split('.');
  if (kind !== 'permissions' && kind !== 'permission_definitions') return field;
  const id = withSystemPermissions(definitions).find((definition) => definition.key === key)?.id ?? key;
  return [kind, id, ...rest].join('.');
}

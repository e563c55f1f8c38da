import { createHash } from 'node:crypto';
import { StateDiffsQuery, type StateDiffView, StateDiffView as View } from '@gatebook/contract/as-of';
import type { Json } from '@gatebook/contract/common';
import { type Digest, fieldChanges } from '@gatebook/domain/audit/field-changes';
import { buildFields, type Fields } from '@gatebook/domain/audit/fields';
import type { Recorded } from '@gatebook/domain/event';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { adminOnly } from '../../access.ts';
import type { Caller } from '../../caller.ts';
import type { Deps } from '../../deps.ts';
import { asOfErrors, openPast, type Past, toAsked } from '../../http/as-of.ts';
import { defineRoute } from '../../http/define-route.ts';
import { type Target, targets } from './targets.ts';

const maxEvents = 200;
/** A stream is read from its beginning. */
const maxReadEvents = 20_000;
type Body = Readonly<Record<string, unknown>>;

/** What the past knows only roughly does not count as a change. */
const ignored = ['last_active_at_millis'];

export const stateDiffRoute = defineRoute({
  method: 'GET',
  path: '/internal/state-diffs',
  access: adminOnly,
  errors: asOfErrors,
  tags: ['Operations'],
  summary: 'Compare two moments of an object',
  description:
    'What the response that reads the object contained at two moments, field by field, and the events in between. An erased person reads as erased at both.',
  query: StateDiffsQuery,
  response: { 200: View },
  handle: async ({ deps, request, reply, caller, query }) => {
    const { target_type: type, target_id: id = caller.projectId } = query;
    const target = targets[type];
    const [from, to] = await openBoth({ deps, caller, reply }, query);
    const key = keyOf(type, id, from, to);
    const before = await readAt(target, { deps, request, caller }, from, key);
    const after = await readAt(target, { deps, request, caller }, to, key);
    const { events, isCut } = await eventsBetween(deps, caller, target, { id: key, found: after ?? before, from, to });
    return {
      target: { type, id },
      from: momentOf(from),
      to: momentOf(to),
      existed_before: before !== null,
      exists_after: after !== null,
      changes: changesOf(before, after),
      events: events.slice(0, maxEvents).map(toEvent),
      has_more_events: isCut || events.length > maxEvents,
    };
  },
});

/** In the order of time. */
async function openBoth(
  { deps, caller, reply }: { deps: Deps; caller: Caller; reply: FastifyReply },
  query: { from: string; to: string },
): Promise<[Past, Past]> {
  const one = await openPast(deps, caller, toAsked(query.from), reply);
  const other = await openPast(deps, caller, toAsked(query.to), reply);
  return one.moment.position <= other.moment.position ? [one, other] : [other, one];
}

/** Permission definitions are named by their ID, which can change; their key does not. */
function keyOf(type: keyof typeof targets, id: string, from: Past, to: Past): string {
  if (!type.endsWith('_definition')) return id;
  const found = [to, from].flatMap(({ project }) => project.permissions).find((definition) => definition.id === id);
  return found?.key ?? id;
}

async function readAt(
  target: Target,
  { deps, request, caller }: { deps: Deps; request: FastifyRequest; caller: Caller },
  { db, project }: Past,
  id: string,
): Promise<Body | null> {
  // Views read the project of the request's caller too.
  request.caller = { ...caller, project };
  const found = await target.read({ deps: { ...deps, db }, request, caller: request.caller }, id);
  return found && Object.fromEntries(Object.entries(found).filter(([field]) => !ignored.includes(field)));
}

function changesOf(before: Body | null, after: Body | null): StateDiffView['changes'] {
  return fieldChanges(fieldsOf(before), fieldsOf(after), digest).map(({ isRedacted, ...change }) => ({
    field: change.field,
    before: change.before as Json,
    after: change.after as Json,
    is_redacted: isRedacted,
  }));
}

function fieldsOf(body: Body | null): Fields {
  const { addTree, fields } = buildFields();
  for (const [name, value] of Object.entries(body ?? {})) addTree(name, value);
  return fields;
}

const digest: Digest = (json) => ({
  bytes: Buffer.byteLength(json),
  sha256: createHash('sha256').update(json).digest('hex'),
});

type Between = { id: string; found: Body | null; from: Past; to: Past };

/** More than are shown, if there are more. Only events of the caller's project. `isCut`: the stream is too long. */
export async function eventsBetween(
  { store }: Pick<Deps, 'store'>,
  { projectId }: Pick<Caller, 'projectId'>,
  { stream: streamOf, concerns = () => true }: Target,
  { id, found, from, to }: Between,
): Promise<{ events: Recorded[]; isCut: boolean }> {
  const named = streamOf(id, found);
  const events: Recorded[] = [];
  if (named === null) return { events, isCut: false };
  let read = 0;
  const pages = store.readStreamPages(named === 'project' ? `project-${projectId}` : named, { large: true });
  for await (const page of pages) {
    read += page.length;
    for (const event of page) {
      const { position, metadata, unreadable } = event;
      const isBetween = position > from.moment.position && position <= to.moment.position;
      if (isBetween && metadata.projectId === projectId && !unreadable && concerns(event, id)) events.push(event);
    }
    if (events.length > maxEvents || (page.at(-1)?.position ?? 0n) > to.moment.position) break;
    if (read >= maxReadEvents) return { events, isCut: true };
  }
  return { events, isCut: false };
}

const toEvent = ({ id, type, committedAt, metadata }: Recorded): StateDiffView['events'][number] => ({
  id,
  type,
  at_millis: Date.parse(committedAt),
  action_id: metadata.requestId,
  actor: { kind: metadata.actor.kind, id: metadata.actor.id },
});

const momentOf = ({ moment: { eventId, millis } }: Past) => ({ event_id: eventId, at_millis: millis });

import { AuditEventParams } from '@gatebook/contract/audit';
import { AuditChainView } from '@gatebook/contract/explanations';
import { reject } from '@gatebook/domain/errors';
import { type AuditRow, findAuditRow, listCausedRows } from '@gatebook/readmodel/audit/queries';
import { adminOnly } from '../../access.ts';
import type { Deps } from '../../deps.ts';
import { defineRoute } from '../../http/define-route.ts';
import { viewEntries } from '../audit/read-page.ts';
import { readEntries } from '../audit/references.ts';
import { seeAuditEvents } from '../audit/wait.ts';

const maxEvents = 200;

export const auditChainRoute = defineRoute({
  method: 'GET',
  path: '/internal/audit-events/:event_id/chain',
  access: adminOnly,
  errors: ['AUDIT_EVENT_NOT_FOUND'],
  tags: ['Audit log'],
  summary: 'Get the causes and effects of an audit event',
  description:
    'What led to the event, up to the first event of the request, and what it led to: the email that it requested, and its delivery. At most 200 of each. Technical events are included.',
  params: AuditEventParams,
  response: { 200: AuditChainView },
  isTranslated: true,
  handle: async ({ deps, reply, caller, language, params }) => {
    const { projectId, project } = caller;
    await seeAuditEvents(deps, reply, projectId);
    const row = await findAuditRow(deps.db, projectId, params.event_id);
    if (!row) return reject('AUDIT_EVENT_NOT_FOUND');
    const [causes, effects] = await Promise.all([listCauses(deps, projectId, row), listEffects(deps, projectId, row)]);
    const shown = [...causes.slice(0, maxEvents), ...effects.slice(0, maxEvents)];
    const views = await viewEntries(deps, { projectId, project, language }, await readEntries(deps, shown));
    const count = Math.min(causes.length, maxEvents);
    return {
      action_id: (causes.at(-1) ?? row).requestId,
      causes: views.slice(0, count),
      effects: views.slice(count),
      is_truncated: causes.length > maxEvents || effects.length > maxEvents,
    };
  },
});

type Parts = Pick<Deps, 'db'>;

/** At most one more than are shown. */
async function listCauses({ db }: Parts, projectId: string, row: AuditRow): Promise<AuditRow[]> {
  const causes: AuditRow[] = [];
  let causeId = row.causationId;
  while (causeId !== null && causes.length <= maxEvents) {
    const cause = await findAuditRow(db, projectId, causeId);
    if (!cause) break;
    causes.push(cause);
    causeId = cause.causationId;
  }
  return causes;
}

/** At most one more than are shown; nearer effects come first. */
async function listEffects({ db }: Parts, projectId: string, row: AuditRow): Promise<AuditRow[]> {
  const effects: AuditRow[] = [];
  let causes: readonly AuditRow[] = [row];
  while (causes.length > 0 && effects.length <= maxEvents) {
    const ids = causes.map(({ eventId }) => eventId);
    causes = await listCausedRows(db, projectId, ids, maxEvents + 1 - effects.length);
    effects.push(...causes);
  }
  return effects;
}

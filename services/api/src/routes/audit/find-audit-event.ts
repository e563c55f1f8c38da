import { AuditEventDetailView, AuditEventParams, type AuditUndoView } from '@gatebook/contract/audit';
import { reject } from '@gatebook/domain/errors';
import { findRejection } from '@gatebook/readmodel/activity/rejection-list';
import { findAuditRow } from '@gatebook/readmodel/audit/queries';
import { adminOnly } from '../../access.ts';
import { type Call, defineRoute } from '../../http/define-route.ts';
import { findAction } from '../actions/find-action.ts';
import { findUndoState } from '../actions/undo-state.ts';
import { readAuditDetail, readRejectionDetail } from './read-detail.ts';
import { seeAuditEvents } from './wait.ts';

type AnyCall = Call<typeof adminOnly, unknown, unknown, unknown>;
type UndoCall = Pick<AnyCall, 'deps' | 'reply' | 'caller' | 'context' | 'language'>;

/** Whether the action of an event can be undone. What would not come back is a reason too. */
async function findUndo(
  { deps, reply, caller, context, language }: UndoCall,
  actionId: string,
): Promise<AuditUndoView> {
  const action = await findAction(deps, reply, { projectId: caller.projectId, actionId });
  const { state, reasons } = await findUndoState(deps, context, { action, caller, language });
  return { state: state === 'partial' ? 'possible' : state, reasons };
}

export const findAuditEventRoute = defineRoute({
  method: 'GET',
  path: '/internal/audit-events/:event_id',
  access: adminOnly,
  errors: ['AUDIT_EVENT_NOT_FOUND'],
  tags: ['Audit log'],
  summary: 'Get an audit event',
  description:
    'With the fields that the event changed, before and after; its data without secrets; the other events of its request; and the events that it caused later.',
  params: AuditEventParams,
  response: { 200: AuditEventDetailView },
  isTranslated: true,
  handle: async ({ deps, request, reply, caller, context, language, params }) => {
    const { projectId, project } = caller;
    const reader = { projectId, project, language };
    const { event_id: eventId } = params;
    await seeAuditEvents(deps, reply, projectId);
    const row = await findAuditRow(deps.db, projectId, eventId);
    const { actor } = context;
    request.log.info(
      { requestId: request.id, projectId, eventId, userId: row?.userId ?? null, actor },
      'audit event read',
    );
    if (row)
      return readAuditDetail(
        deps,
        reader,
        row,
        await findUndo({ deps, reply, caller, context, language }, row.requestId),
      );
    const rejection = await findRejection(deps.db, projectId, eventId);
    return rejection ? readRejectionDetail(deps, reader, rejection) : reject('AUDIT_EVENT_NOT_FOUND');
  },
});

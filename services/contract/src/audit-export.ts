import { z } from 'zod';
import { AuditEventDetailView, AuditEventView, auditFilters } from './audit.ts';
import { textUpTo, uuid } from './common.ts';

export const AuditExportQuery = z
  .strictObject({
    ...auditFilters,
    format: z.enum(['jsonl', 'csv', 'ocsf', 'cloudevents']).optional().meta({ description: '`jsonl` unless given.' }),
    cursor: textUpTo(512)
      .optional()
      .meta({ description: '`next_cursor` of an export or of a list with `order=asc` and the same filters.' }),
    after_event_id: uuid.optional().meta({
      description: 'The ID in the last complete line of an export that was cut off, to continue it.',
    }),
  })
  .refine(({ cursor, after_event_id }) => cursor === undefined || after_event_id === undefined, {
    message: 'send either cursor or after_event_id',
  });

export const exportHeaders = { untilEventId: 'x-export-until-event-id' } as const;

const { changes, data } = AuditEventDetailView.shape;
const ExportedEventView = z.object({ ...AuditEventView.shape, changes, data });
/** An event of the audit log as exports show it: like the list, with what it changed and its data without secrets. */
export type ExportedEventView = z.infer<typeof ExportedEventView>;

export const auditEventSchemaPath = '/schemas/audit-event.v1.json';

/** `data` of a CloudEvent in an export. */
export const ExportedEventData = z
  .union([ExportedEventView, z.object({ ...AuditEventView.shape, is_truncated: z.literal(true) })])
  .meta({ title: 'Audit event', description: 'With `is_truncated`, it would be too large with its changes and data.' });

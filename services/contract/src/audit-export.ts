import { z } from 'zod';
import { auditFilters } from './audit.ts';
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

import { auditEventSchemaPath, ExportedEventData } from '@gatebook/contract/audit-export';
import { type Json, JsonValue } from '@gatebook/contract/common';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';

const schema = z.toJSONSchema(ExportedEventData, { io: 'output' }) as Record<string, Json>;

/** What `dataschema` of exported CloudEvents refers to. It says nothing of a project. */
export const findEventSchemaRoute = defineRoute({
  method: 'GET',
  path: auditEventSchemaPath,
  isRoot: true,
  access: 'anyone',
  tags: ['Audit log'],
  summary: 'Get the JSON Schema of exported audit events',
  description:
    'Describes `data` of CloudEvents in exports of the audit log, which name this URL as their `dataschema`.',
  response: { 200: z.record(z.string(), JsonValue) },
  handle: async () => schema,
});

import { auditEventSchemaPath } from '@gatebook/contract/audit-export';
import { cloudEventAttributes } from './cloud-event.ts';
import type { ExportContext, ExportedEvent } from './exported-event.ts';

/** Intermediaries must forward events of this size (CloudEvents 1.0, size limits). */
const maxBytes = 64 * 1024;

/** CloudEvents 1.0 in structured mode. Names and addresses are in `data` only (CloudEvents 1.0, privacy). */
export function toCloudEvent(event: ExportedEvent, { issuer, publicUrl }: ExportContext): Record<string, unknown> {
  const { targets } = event;
  const attributes = {
    ...cloudEventAttributes({
      id: event.id,
      source: issuer,
      type: dotted(event.type),
      subject: targets.length > 0 ? targets.map(({ type, id }) => `${type}s/${id}`).join('/') : undefined,
      at: event.at_millis,
      schema: `${publicUrl}${auditEventSchemaPath}`,
    }),
    correlationid: event.action_id,
    ...(event.caused_by_event_id !== null && { causationid: event.caused_by_event_id }),
  };
  const complete = { ...attributes, data: event };
  if (bytesOf(complete) < maxBytes) return complete;
  const { data: _, changes: __, ...item } = event;
  return { ...attributes, data: { ...item, is_truncated: true } };
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** `TeamPermissionGranted` → `team.permission.granted` */
const dotted = (type: string) =>
  type
    .replace('OAuth', 'Oauth')
    .replace(/(?!^)([A-Z][a-z])/g, '.$1')
    .toLowerCase();

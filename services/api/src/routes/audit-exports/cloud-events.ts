import type { ExportContext, ExportedEvent } from './exported-event.ts';

/** Intermediaries must forward events of this size (CloudEvents 1.0, size limits). */
const maxBytes = 64 * 1024;

/** CloudEvents 1.0 in structured mode. Names and addresses are in `data` only (CloudEvents 1.0, privacy). */
export function toCloudEvent(event: ExportedEvent, { issuer, publicUrl }: ExportContext): Record<string, unknown> {
  const attributes = {
    specversion: '1.0',
    id: event.id,
    source: issuer,
    type: `dev.gatebook.${dotted(event.type)}.v1`,
    ...(event.targets.length > 0 && { subject: event.targets.map(({ type, id }) => `${type}s/${id}`).join('/') }),
    time: new Date(event.at_millis).toISOString(),
    datacontenttype: 'application/json',
    dataschema: `${publicUrl}/schemas/audit-event.v1.json`,
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

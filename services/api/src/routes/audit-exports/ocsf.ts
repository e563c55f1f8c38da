import type { ExportContext, ExportedEvent } from './exported-event.ts';
import { failedSignIns, type OcsfEntry, type OcsfVersion, ocsfMaps } from './ocsf-map.ts';

type Fields = Record<string, unknown>;
const ocsfVersion: OcsfVersion = '1.8.0';

/** An event of the Open Cybersecurity Schema Framework; null if the type has none. */
export function toOcsf(event: ExportedEvent, context: ExportContext, version = ocsfVersion): Fields | null {
  const entry = entryOf(event, version);
  if (!entry) return null;
  const activity = typeof entry.activity === 'function' ? entry.activity(event.data) : entry.activity;
  if (activity === null) return null;
  const { projectId, version: productVersion } = context;
  const { severity = 1, status = 1 } = entry;
  return {
    category_uid: Math.floor(entry.class / 1000),
    class_uid: entry.class,
    activity_id: activity,
    type_uid: entry.class * 100 + activity,
    severity_id: severity,
    status_id: status,
    ...(event.error_code !== null && { status_code: event.error_code }),
    ...reasonOf(event),
    time: event.at_millis,
    ...(event.count > 1 && { count: event.count, start_time: event.at_millis, end_time: event.last_at_millis }),
    message: event.text,
    metadata: {
      version,
      uid: event.id,
      correlation_uid: event.action_id,
      event_code: event.type,
      log_name: 'audit',
      original_time: new Date(event.at_millis).toISOString(),
      tenant_uid: projectId,
      product: { name: 'Gatebook', vendor_name: 'Gatebook', version: productVersion },
    },
    actor: actorOf(event),
    ...endpointOf(event, entry),
    ...(event.origin?.user_agent && { http_request: { user_agent: event.origin.user_agent } }),
    ...subjectOf(event, entry, activity, projectId),
    ...unmapped(event),
  };
}

/** A failed sign-in is an authentication, any other rejected call is API activity. */
function entryOf({ type, error_code }: ExportedEvent, version: OcsfVersion): OcsfEntry | null {
  if (type === 'CallRejected' && failedSignIns.has(error_code ?? '')) {
    return { class: 3002, activity: 1, status: 2, severity: 2 };
  }
  const entry = (ocsfMaps[version] as Readonly<Record<string, OcsfEntry | { exempt: string } | undefined>>)[type];
  return entry && !('exempt' in entry) ? entry : null;
}

function reasonOf({ data }: ExportedEvent): Fields {
  return typeof data.reason === 'string' ? { status_detail: data.reason } : {};
}

const userTypes: Readonly<Record<string, number>> = {
  user: 1,
  client: 1,
  owner: 2,
  system: 3,
  operator: 2,
  server: 4,
  admin: 4,
};

function actorOf({ actor }: ExportedEvent): Fields {
  const { kind, id, display_name: name, session_id, impersonator } = actor;
  // Who acted for a user is the actor.
  const { kind: actingKind, id: actingId, display_name: actingName } = impersonator ?? { kind, id, display_name: name };
  const user = {
    uid: actingId ?? actingKind,
    ...(actingName !== null && { name: actingName }),
    type_id: userTypes[actingKind] ?? 0,
  };
  return { app_name: actingKind, user, ...(session_id !== null && { session: { uid: session_id } }) };
}

/** API activity needs an endpoint, also of an unknown address. A rejection has a network instead of an address. */
function endpointOf({ origin }: ExportedEvent, entry: OcsfEntry): Fields {
  const ip = origin?.ip ?? null;
  if (ip === null) return entry.class === 6003 ? { src_endpoint: { name: 'unknown' } } : {};
  return { src_endpoint: ip.includes('/') ? { name: ip } : { ip } };
}

/** What the class requires to name the thing that the event concerns. */
function subjectOf(event: ExportedEvent, entry: OcsfEntry, activity: number, projectId: string): Fields {
  const { data } = event;
  switch (entry.class) {
    case 3001:
      return { user: userOf(event), ...factorsOf(event, activity) };
    case 3002:
      return { user: userOf(event), service: { name: 'Gatebook', uid: projectId }, ...sessionOf(event, activity) };
    case 3004:
      return entitiesOf(event, entry);
    case 3005:
      return { user: userOf(event), privileges: privilegesOf(event) };
    case 3006:
      return {
        group: { ...namedOf(event, 'team'), type: 'Team' },
        ...(targetOf(event, 'user') && { user: userOf(event) }),
        ...privilegesOfGroup(event),
      };
    case 6003:
      return { api: { operation: String(data.route ?? 'unknown') } };
  }
}

const targetOf = ({ targets }: ExportedEvent, type: string) => targets.find((target) => target.type === type);

function namedOf(event: ExportedEvent, type: string): Fields {
  const target = targetOf(event, type);
  return { uid: target?.id ?? 'unknown', ...(target?.display_name && { name: target.display_name }) };
}

const userOf = (event: ExportedEvent): Fields => ({ ...namedOf(event, 'user'), type_id: 1 });

/** The permission under its ID of then. */
function privilegesOf(event: ExportedEvent): string[] {
  const permission = targetOf(event, 'permission');
  return permission ? [permission.display_name ?? permission.id] : ['owner'];
}

function privilegesOfGroup(event: ExportedEvent): Fields {
  if (targetOf(event, 'permission')) return { privileges: privilegesOf(event) };
  const keys = event.data.permissionKeys;
  return Array.isArray(keys) && keys.length > 0 ? { privileges: keys.map(String) } : {};
}

function entitiesOf(event: ExportedEvent, { entity = [99, 'Other'] }: OcsfEntry): Fields {
  const [typeId, type] = entity;
  const [first] = event.targets;
  const kind = typeId === 2 ? 'user' : typeId === 3 ? 'team' : null;
  const target =
    (kind === null ? event.targets.find(({ type: of }) => of !== 'user' && of !== 'team') : targetOf(event, kind)) ??
    first;
  const uid = target?.id ?? 'unknown';
  const changes = (event.changes ?? []).filter(({ is_redacted }) => !is_redacted);
  const valuesOf = (side: 'before' | 'after') =>
    Object.fromEntries(changes.map((change) => [change.field, change[side]]));
  const toEntity = (data: Fields) => ({ uid, type_id: typeId, type, ...(changes.length > 0 && { data }) });
  return {
    entity: toEntity(valuesOf('before')),
    ...(changes.length > 0 && { entity_result: toEntity(valuesOf('after')) }),
  };
}

const factorTypes: Readonly<Record<string, number>> = { password: 11, otp: 7, passkey: 10 };

function sessionOf(event: ExportedEvent, activity: number): Fields {
  const { data } = event;
  const session = targetOf(event, 'session');
  const expiresAt = typeof data.expiresAt === 'string' ? Date.parse(data.expiresAt) : null;
  const details = {
    ...(session && { uid: session.id }),
    ...(expiresAt !== null && { expiration_time: expiresAt }),
    ...(activity === 2 && typeof data.reason === 'string' && { expiration_reason: data.reason }),
  };
  return {
    ...(Object.keys(details).length > 0 && { session: details }),
    ...(activity === 7 && { account_switch_type_id: 2 }),
    ...(typeof data.method === 'string' && methodOf(data.method, data.secondFactor === 'totp')),
  };
}

function methodOf(method: string, isMfa: boolean): Fields {
  const first = factorTypes[method];
  const factors = [...(first === undefined ? [] : [first]), ...(isMfa ? [7] : [])];
  return {
    auth_protocol_id: method === 'oauth' ? 6 : 99,
    auth_protocol: method,
    is_mfa: isMfa,
    ...(factors.length > 0 && { auth_factors: factors.map((id) => ({ factor_type_id: id })) }),
  };
}

const changedFactors: Readonly<Record<string, number>> = {
  TotpSecretChanged: 7,
  OtpAuthChanged: 8,
  PasskeyRegistered: 10,
  PasskeyRemoved: 10,
};

function factorsOf({ type }: ExportedEvent, activity: number): Fields {
  const id = changedFactors[type];
  return id !== undefined && (activity === 10 || activity === 11) ? { auth_factors: [{ factor_type_id: id }] } : {};
}

function unmapped({ data, category, is_technical, caused_by_event_id, undone_by_action_id }: ExportedEvent): Fields {
  const { permissionKey, keptSessionId } = data;
  return {
    unmapped: {
      category,
      is_technical,
      ...(typeof permissionKey === 'string' && { permission_key: permissionKey }),
      ...(typeof keptSessionId === 'string' && { kept_session_id: keptSessionId }),
      ...(caused_by_event_id !== null && { caused_by_event_id }),
      ...(undone_by_action_id !== null && { undone_by_action_id }),
    },
  };
}

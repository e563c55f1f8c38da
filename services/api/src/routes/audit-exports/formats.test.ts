import { auditTypes } from '@gatebook/domain/audit/audit-types';
import { catalog } from '@gatebook/domain/catalog';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCloudEvent } from './cloud-events.ts';
import { csvHead, toCsvEnd, toCsvLine } from './csv.ts';
import type { ExportContext, ExportedEvent } from './exported-event.ts';
import { exportFormats } from './formats.ts';
import { toOcsf } from './ocsf.ts';
import { ocsfMaps } from './ocsf-map.ts';
import { parseCsv } from './testing/csv.ts';
import { findFaults } from './testing/ocsf-schema.ts';

const id = '00000000-0000-4000-8000-000000000001';
const context: ExportContext = {
  projectId: id,
  publicUrl: 'https://auth.example',
  issuer: `https://auth.example/api/v1/projects/${id}`,
  version: '0.1.0',
};
const types = [...Object.keys(catalog), 'CallRejected'];

/** Data with the fields that maps read, whatever the type. */
const data = {
  isEnabled: true,
  origin: 'sign_up',
  isImpersonation: false,
  method: 'password',
  secondFactor: 'totp',
  reason: 'sign_out',
  expiresAt: '2027-01-01T00:00:00.000Z',
  permissionKey: 'key',
  permissionKeys: ['team_member'],
  keptSessionId: id,
  route: 'PATCH /api/v1/users/:user_id',
};

function exported(type: string, change: Partial<ExportedEvent> = {}): ExportedEvent {
  const isRejection = type === 'CallRejected';
  const ofType = isRejection ? (['user'] as const) : auditTypes[type as keyof typeof auditTypes].targets.types;
  return {
    id,
    type,
    category: 'user',
    text: 'Something happened',
    outcome: isRejection ? 'rejected' : 'success',
    error_code: isRejection ? 'INSUFFICIENT_ACCESS_TYPE' : null,
    count: isRejection ? 312 : 1,
    at_millis: 1_772_000_000_000,
    last_at_millis: 1_772_000_240_000,
    action_id: 'a'.repeat(16),
    caused_by_event_id: null,
    actor: {
      kind: 'owner',
      id,
      display_name: 'Ann',
      project_id: 'internal',
      key_id: null,
      session_id: id,
      impersonator: null,
      is_erased: false,
    },
    targets: ofType.map((of) => ({
      type: of,
      id,
      display_name: of === 'permission' ? 'reports:read' : null,
      is_erased: false,
    })),
    origin: { ip: isRejection ? '203.0.113.0/24' : '203.0.113.7', user_agent: 'Mozilla/5.0', country: 'DE' },
    is_technical: false,
    undone_by_action_id: null,
    changes: [{ field: 'display_name', before: 'A', after: 'B', is_redacted: false }],
    data,
    ...change,
  };
}

describe('every type of event', () => {
  test.each(types)('%s has a line in each format, or an exemption from OCSF (check 1)', (type) => {
    const map = ocsfMaps['1.8.0'][type as keyof (typeof ocsfMaps)['1.8.0']];
    for (const [name, format] of Object.entries(exportFormats)) {
      const line = format.toLine(exported(type), context);
      if (name === 'ocsf' && 'exempt' in map) {
        expect(line).toBe(null);
        expect(map.exempt).not.toBe('');
      } else {
        expect(line).toMatch(/\n$/);
      }
    }
  });

  test('is in the map of OCSF, which has no other type', () => {
    expect(Object.keys(ocsfMaps['1.8.0']).sort()).toEqual([...types].sort());
  });

  test.each(types)('%s is valid by the published schema of OCSF 1.8.0, with and without details (check 8)', (type) => {
    const nobody = { ...exported(type).actor, id: null, display_name: null, session_id: null, kind: 'system' };
    const variants = [
      exported(type),
      exported(type, { targets: [], data: {}, changes: null, origin: null, actor: nobody }),
      exported(type, {
        data: { ...data, isEnabled: false, isImpersonation: true, method: 'oauth', secondFactor: null },
      }),
      exported(type, { data: { ...data, origin: 'reset', reason: null }, error_code: 'EMAIL_PASSWORD_MISMATCH' }),
    ];
    for (const variant of variants) {
      const event = toOcsf(variant, context);
      if (event) expect(findFaults(JSON.parse(JSON.stringify(event)))).toEqual([]);
    }
  });
});

test.each([
  ['SessionStarted', {}, 300201],
  ['SessionStarted', { data: { ...data, isImpersonation: true } }, 300207],
  ['SessionEnded', {}, 300202],
  ['CallRejected', { error_code: 'EMAIL_PASSWORD_MISMATCH' }, 300201],
  ['UserCreated', {}, 300101],
  ['UserDeleted', {}, 300106],
  ['UserPasswordSet', {}, 300103],
  ['UserPasswordSet', { data: { origin: 'reset' } }, 300104],
  ['TotpSecretChanged', { data: { isEnabled: false } }, 300111],
  ['UserRenamed', {}, 300403],
  ['ProjectPermissionGranted', {}, 300501],
  ['TeamPermissionRevoked', {}, 300602],
  ['TeamMemberAdded', {}, 300603],
  ['TeamDeleted', {}, 300605],
  ['ProjectKeyRevoked', {}, 300409],
  ['AuditLogExported', {}, 300402],
] as const)('%s %j has the OCSF type %i', (type, change, expected) => {
  expect(toOcsf(exported(type, change as Partial<ExportedEvent>), context)?.type_uid).toBe(expected);
});

test('a rehashed password is no OCSF event', () => {
  expect(toOcsf(exported('UserPasswordSet', { data: { origin: 'rehash' } }), context)).toBe(null);
});

test('an impersonation names who acted and for whom in OCSF', () => {
  const owner = { kind: 'owner', id: 'owner', display_name: 'Olga' };
  const actor = { ...exported('UserRenamed').actor, kind: 'user', impersonator: owner };
  expect(toOcsf(exported('SessionStarted', { actor }), context)).toMatchObject({
    actor: { user: { uid: 'owner', name: 'Olga', type_id: 2 } },
    user: { uid: id },
  });
});

describe('CloudEvents', () => {
  test('have the attributes of version 1.0 and no name or address outside of data (check 8)', () => {
    for (const type of types) {
      const event = toCloudEvent(exported(type), context);
      const { data: _, ...attributes } = event;
      expect(attributes).toMatchObject({ specversion: '1.0', id, source: context.issuer });
      expect(attributes.type).toMatch(/^dev\.gatebook(\.[a-z]+)+\.v1$/);
      expect(attributes.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      for (const [name, value] of Object.entries(attributes)) {
        expect(name).toMatch(/^[a-z0-9]{1,20}$/);
        expect(typeof value).toBe('string');
        expect(value).not.toBe('');
      }
      expect(JSON.stringify(attributes)).not.toMatch(/Ann|203\.0\.113/);
    }
  });

  test.each([
    ['TeamPermissionGranted', 'dev.gatebook.team.permission.granted.v1', `users/${id}/teams/${id}/permissions/${id}`],
    ['SessionStarted', 'dev.gatebook.session.started.v1', `users/${id}/sessions/${id}`],
    ['OAuthAccountLinked', 'dev.gatebook.oauth.account.linked.v1', `users/${id}`],
  ])('of %s have type %s and subject %s', (type, expected, subject) => {
    expect(toCloudEvent(exported(type), context)).toMatchObject({ type: expected, subject });
  });

  test('stay below 64 KiB, and say what they leave out (check 8)', () => {
    const large = 'x'.repeat(2_000);
    const changes = Array.from({ length: 200 }, (_, nth) => {
      return { field: `field ${nth}`, before: large, after: large, is_redacted: false };
    });
    const event = toCloudEvent(exported('ProjectConfigChanged', { changes }), context);
    expect(Buffer.byteLength(JSON.stringify(event))).toBeLessThan(64 * 1024);
    expect(event.data).toMatchObject({ id, is_truncated: true });
  });
});

describe('CSV', () => {
  const cellsOf = (text: string) => {
    const row = parseCsv(csvHead + toCsvLine(exported('UserRenamed', { text })))[1];
    return row?.[5];
  };

  test.each([
    ['=HYPERLINK("https://evil.example","x")', `'=HYPERLINK("https://evil.example","x")`],
    ['\r\n=1', `'\r\n'=1`],
    ['Ann;＝1', `Ann;'＝1`],
    ['plain, "quoted"\nsecond line', 'plain, "quoted"\nsecond line'],
  ])('shows %j as text (check 9)', (text, expected) => {
    expect(cellsOf(text)).toBe(expected);
  });

  const units = ['a', 'é', '😀', ' ', '"', ',', ';', '\r', '\n', '\t', '=', '+', '-', '@', '＝', '\u202e', '\u2066'];
  const texts = fc.string({ unit: fc.constantFrom(...units), maxLength: 12 });
  /** Formulas have an apostrophe before them; characters that change the direction are escaped. */
  const withoutExceptions = (cell = '') =>
    cell.replaceAll("'", '').replaceAll(/\\u(202e|2066)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

  test('is read back as the text, but for the apostrophe of a formula and the escape of a direction (check 9)', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(withoutExceptions(cellsOf(text))).toBe(text);
        const hasException = /[=+\-@＝\u202e\u2066]|^[\t\r\n]/.test(text);
        if (!hasException) expect(cellsOf(text)).toBe(text);
      }),
    );
  });

  test('is read back with every value of an event (check 9)', () => {
    const event = exported('UserRenamed', { text: 'Ann, "the cook"\nof the crew' });
    const [head = [], row = []] = parseCsv(csvHead.slice(1) + toCsvLine(event));
    expect(Object.fromEntries(head.map((name, nth) => [name, row[nth]]))).toEqual({
      ...{ id, time: new Date(event.at_millis).toISOString(), at_millis: String(event.at_millis) },
      ...{ type: 'UserRenamed', category: 'user', text: event.text, outcome: 'success', error_code: '', count: '1' },
      ...{ last_at_millis: String(event.last_at_millis), action_id: event.action_id, caused_by_event_id: '' },
      ...{ actor_kind: 'owner', actor_id: id, actor_name: 'Ann', impersonator_id: '', session_id: id },
      ...{ targets: `user:${id}`, target_names: '', ip: '203.0.113.7', user_agent: 'Mozilla/5.0', country: 'DE' },
      ...{ is_technical: 'false', changes: JSON.stringify(event.changes) },
    });
  });

  test('says that it is UTF-8 (check 9)', () => expect(csvHead).toMatch(/^\ufeffid,time,/));

  test('has the same cells in every row, and a last row', () => {
    const file =
      csvHead + toCsvLine(exported('SessionStarted')) + toCsvEnd({ end: true, count: 1, next_cursor: 'cursor' });
    const rows = parseCsv(file);
    expect(new Set(rows.map(({ length }) => length)).size).toBe(1);
    expect(rows).toHaveLength(3);
    const [head, , end] = rows;
    expect(head?.map((name, nth) => [name, end?.[nth]]).filter(([, cell]) => cell !== '')).toEqual([
      ['type', 'end'],
      ['text', 'cursor'],
      ['count', '1'],
    ]);
  });
});

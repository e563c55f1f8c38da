import { randomBytes } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { windowMs } from '@gatebook/readmodel/activity/rejection-counts';
import type { RejectionFilters } from '@gatebook/readmodel/activity/rejection-list';
import { anyAuditEvent } from '@gatebook/readmodel/audit/filters';
import { findAuditRow } from '@gatebook/readmodel/audit/queries';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  changeConfig,
  createProject,
  expectKnown,
  type OwnedProject,
  password,
  signUp,
} from '../../testing/requests.ts';
import { startSuite } from '../../testing/suite.ts';
import type { AuditPlaces } from '../audit/cursor.ts';
import { placesAfterEvent } from '../audit/settled.ts';
import type { ExportedEvent } from './exported-event.ts';
import { endOf, readExport } from './read-export.ts';
import { parseCsv } from './testing/csv.ts';
import { findFaults } from './testing/ocsf-schema.ts';

const anyRejection: RejectionFilters = {
  ...{ accessTypes: null, isWithUser: false, userId: null, requestId: null, network: null, from: null, until: null },
  except: null,
};
const { api, send } = await startSuite();
let project: OwnedProject;
let user: Awaited<ReturnType<typeof signUp>>;
const image = `data:image/png;base64,${Buffer.alloc(300_000).toString('base64')}`;

const asAdmin = (method: string, path: string, body?: unknown, of = project) =>
  send(method, path, { ...of, access: 'admin', ...(body !== undefined && { body }) });
const download = (query: string, of = project) =>
  asAdmin('GET', `/internal/audit-events/export?${query}`, undefined, of);
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

beforeAll(async () => {
  project = await createProject(send);
  user = await signUp(send, project);
  await asAdmin('PATCH', `/users/${user.userId}`, { display_name: 'Ann' });
  await asAdmin('PATCH', `/users/${user.userId}`, {
    display_name: '=HYPERLINK("https://evil.example")',
    profile_image_url: image,
  });
  const { body: team } = await asAdmin('POST', '/teams', { display_name: 'Crew' });
  await asAdmin('POST', `/team-memberships/${team.id}/${user.userId}`, {});
  rejectSignIn(project.projectId, Date.now() - 60 * 60_000);
  await send('POST', '/auth/password/sign-in', { ...project, body: { email: user.email, password } });
});

function rejectSignIn(projectId: string, at: number, userId: string | null = null): void {
  api.deps.rejections.record({
    ...{ projectId, userId, code: 'EMAIL_PASSWORD_MISMATCH', route: 'POST /api/v1/auth/password/sign-in', status: 400 },
    ...{ accessType: 'client', network: '203.0.113.0/24', requestId: `request-${at}`, actor: null, permission: null },
    ...{ isAccess: true, at: new Date(at).toISOString() },
  });
}

describe('an export of the audit log', () => {
  test('has the events of the list in order, with changes, and ends with a line that counts them', async () => {
    const answer = await download('');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/x-ndjson; charset=utf-8',
      'content-disposition': expect.stringMatching(
        /^attachment; filename="audit-log-[0-9a-f-]+-\d{4}-\d\d-\d\d\.jsonl"$/,
      ),
    });
    const lines = linesOf(answer.text);
    const end = lines.pop();
    expect(end).toEqual({ end: true, count: lines.length, next_cursor: expect.any(String) });
    const { body: list } = await asAdmin('GET', '/internal/audit-events?order=asc&limit=200');
    const withoutExports = (items: { type: string }[]) => items.filter(({ type }) => type !== 'AuditLogExported');
    expect(withoutExports(lines).map(({ changes: _, data: __, ...item }: Record<string, unknown>) => item)).toEqual(
      withoutExports(list.items),
    );
    const [renamed] = lines.filter(({ type }) => type === 'UserRenamed');
    expect(renamed.changes).toEqual([{ field: 'display_name', before: null, after: 'Ann', is_redacted: false }]);
    expect(lines.at(-1)).toMatchObject({ type: 'AuditLogExported', data: { format: 'jsonl', filters: [] } });
    expect(answer.headers['x-export-until-event-id']).toBe(lines.at(-1)?.id);
  });

  test('gives a large value by its size and hash, and never a secret (checks 7 and 8)', async () => {
    for (const format of ['jsonl', 'csv', 'ocsf', 'cloudevents']) {
      const { text } = await download(`format=${format}&include_technical=true`);
      expect(text).not.toContain(image.slice(0, 200));
      for (const secret of [password, project.keys.server, project.keys.admin, user.refreshToken, user.accessToken]) {
        expect(text).not.toContain(secret);
      }
      expect(text).not.toMatch(/\$argon2|refreshTokenHash":"(?!redacted)/);
    }
    const { text } = await download('type=UserImageChanged');
    const size = { bytes: expect.any(Number), sha256: expect.any(String) };
    expect(linesOf(text)[0].changes).toEqual([
      { field: 'profile_image_url', before: null, after: size, is_redacted: false },
    ]);
  });

  test('has no client secret, SMTP password or TOTP secret (check 7)', async () => {
    const shop = await createProject(send);
    const { userId } = await signUp(send, shop);
    const [clientSecret, smtpPassword] = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')];
    const totpSecret = randomBytes(20).toString('base64');
    const config = {
      oauth_providers: [{ id: 'google', type: 'standard', client_id: 'public', client_secret: clientSecret }],
      email_config: {
        ...{ type: 'standard', host: 'mail.example.com', port: 25, username: 'u', password: smtpPassword },
        ...{ sender_name: 'S', sender_email: 's@example.com' },
      },
    };
    expect((await changeConfig(send, shop, config)).status).toBe(200);
    const factor = await asAdmin('PATCH', `/users/${userId}`, { totp_secret_base64: totpSecret }, shop);
    expect(factor.status).toBe(200);
    for (const format of ['jsonl', 'csv', 'ocsf', 'cloudevents']) {
      const { text } = await download(`format=${format}&include_technical=true`, shop);
      for (const type of ['ProjectConfigChanged', 'TotpSecretChanged']) expect(text, format).toContain(type);
      for (const secret of [clientSecret, smtpPassword, totpSecret]) expect(text, format).not.toContain(secret);
    }
  });

  test('is valid OCSF 1.8.0 (check 8)', async () => {
    const lines = linesOf((await download('format=ocsf')).text);
    expect(lines.pop()).toMatchObject({ end: true, count: lines.length });
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) expect(findFaults(line)).toEqual([]);
    expect(lines.map(({ type_uid }) => type_uid)).toEqual(expect.arrayContaining([300101, 300201, 300403, 300603]));
    const renamed = lines.filter(({ metadata }) => metadata.event_code === 'UserRenamed')[0];
    expect(renamed).toMatchObject({
      entity: { uid: user.userId, data: { display_name: null } },
      entity_result: { data: { display_name: 'Ann' } },
    });
  });

  test('keeps CloudEvents below 64 KiB (check 8)', async () => {
    const lines = (await download('format=cloudevents')).text.trim().split('\n').slice(0, -1);
    for (const line of lines) {
      expect(Buffer.byteLength(line)).toBeLessThan(64 * 1024);
      expect(JSON.parse(line)).toMatchObject({
        specversion: '1.0',
        source: expect.stringContaining(`/api/v1/projects/${project.projectId}`),
      });
    }
  });

  test('has CloudEvents that fit the JSON Schema at their dataschema', async () => {
    const events = linesOf((await download('format=cloudevents&include_technical=true')).text).slice(0, -1);
    const [url] = new Set(events.map(({ dataschema }) => dataschema));
    const { pathname } = new URL(url);
    expect(url).toBe(`${api.deps.config.http.publicUrl}${pathname}`);
    const answer = await api.app.inject(pathname);
    expect(answer.statusCode).toBe(200);
    const validate = new Ajv2020({ allErrors: true, validateFormats: false }).compile(answer.json());
    const faultsOf = (data: unknown) => (validate(data) ? [] : validate.errors);
    expect(events.flatMap(({ data }) => faultsOf(data))).toEqual([]);
    const { changes, data, ...item } = events[0].data;
    expect(faultsOf({ ...item, is_truncated: true })).toEqual([]);
    expect(faultsOf(item)).not.toEqual([]);
    expect(faultsOf({ ...item, changes, data, count: 'one' })).not.toEqual([]);
  });

  test('is CSV in which a name is not a formula (check 9)', async () => {
    const rows = parseCsv((await download('format=csv')).text);
    const [head = [], ...others] = rows;
    const texts = others.map((row) => row[head.indexOf('target_names')]);
    expect(texts).toContain(`'=HYPERLINK("https://evil.example")`);
    expect(rows.flat().filter((cell) => /^[=+@]/.test(cell))).toEqual([]);
    expect(others.at(-1)?.[head.indexOf('type')]).toBe('end');
  });

  test('has the filters of the list, and records which were used', async () => {
    const lines = linesOf((await download(`type=UserRenamed&target_id=${user.userId}`)).text);
    expect(lines.slice(0, -1).map(({ type }) => type)).toEqual(['UserRenamed', 'UserRenamed']);
    const exports = linesOf((await download('type=AuditLogExported')).text).slice(0, -1);
    expect(exports.at(-2)?.data.filters).toEqual(['type', 'target_id']);
    expect(exports.at(-1)?.data.filters).toEqual(['type']);
  });

  test('that was cut off is continued after any line, without loss or double (check 10)', async () => {
    const ids = (text: string) => linesOf(text).flatMap((line) => (line.end ? [] : [line.id]));
    const complete = ids((await download('outcome=success')).text);
    for (const [nth, id] of complete.entries()) {
      const rest = ids((await download(`outcome=success&after_event_id=${id}`)).text);
      expect(rest.slice(0, complete.length - nth - 1)).toEqual(complete.slice(nth + 1));
    }
    const { next_cursor: cursor } = linesOf((await download('')).text).at(-1);
    await asAdmin('PATCH', `/users/${user.userId}`, { display_name: 'Anna' });
    const later = linesOf((await download(`cursor=${encodeURIComponent(cursor)}`)).text);
    expect(later.map(({ type }) => type)).toEqual(['UserRenamed', 'AuditLogExported', undefined]);
  });

  test('continues after a rejection too', async () => {
    const lines = linesOf((await download('')).text).slice(0, -1);
    const nth = lines.findIndex(({ outcome }) => outcome === 'rejected');
    expect(nth).toBeGreaterThanOrEqual(0);
    const rest = linesOf((await download(`after_event_id=${lines[nth].id}`)).text);
    const expected = lines.slice(nth + 1).map(({ id }) => id);
    expect(rest.slice(0, expected.length).map(({ id }) => id)).toEqual(expected);
  });

  test('accepts no cursor and no event of another project', async () => {
    const other = await createProject(send);
    const lines = linesOf((await download('')).text);
    const cursor = encodeURIComponent(lines.at(-1).next_cursor);
    expectKnown(await download(`cursor=${cursor}`, other), 400, 'SCHEMA_ERROR', expect.anything());
    expectKnown(await download(`after_event_id=${lines[0].id}`, other), 404, 'AUDIT_EVENT_NOT_FOUND');
    expectKnown(
      await download(`after_event_id=${lines[0].id}&cursor=${cursor}`),
      400,
      'SCHEMA_ERROR',
      expect.anything(),
    );
    const text = (await download('include_technical=true', other)).text;
    expect(text).not.toContain(user.userId);
  });

  test('shows nothing of an erased user afterwards (check 11)', async () => {
    const shop = await createProject(send);
    const gone = await signUp(send, shop);
    await asAdmin('PATCH', `/users/${gone.userId}`, { display_name: 'Gone Person' }, shop);
    expect((await download('', shop)).text).toContain('Gone Person');
    await asAdmin('DELETE', `/users/${gone.userId}`, undefined, shop);
    for (const format of ['jsonl', 'csv', 'ocsf', 'cloudevents']) {
      const { text } = await download(`format=${format}`, shop);
      expect(text).toContain(gone.userId);
      expect(text).not.toContain('Gone Person');
      expect(text).not.toContain(gone.email);
    }
  });
});

describe('rejections of a window that is still open', () => {
  const window = Math.floor(Date.now() / windowMs) * windowMs - windowMs;
  const search = { events: anyAuditEvent, rejections: anyRejection, address: null };
  const last = 2n ** 63n - 1n;

  async function exportUntil(shop: OwnedProject, at: number, after: AuditPlaces) {
    const caller = { projectId: shop.projectId, project: (await api.deps.projects.find(shop.projectId))?.project };
    if (!caller.project) throw new Error('the project has no access');
    await api.deps.rejections.flush();
    const until = { position: last, at };
    const lines: ExportedEvent[] = [];
    const range = { after, until };
    for await (const page of readExport(api.deps, { ...caller, project: caller.project }, search, range, unchanged)) {
      lines.push(...page);
    }
    const rejected = lines.filter(({ outcome }) => outcome === 'rejected');
    return { lines, rejected: rejected.map(({ count }) => count), next: endOf(after, until) };
  }

  test('are exported once, by the next export, with their final count', async () => {
    const shop = await createProject(send);
    rejectSignIn(shop.projectId, window - 1_000);
    rejectSignIn(shop.projectId, window + 1_000);
    const first = await exportUntil(shop, window + 60_000, { events: null, rejections: null });
    expect(first.rejected).toEqual([1]);
    // The row of the window grows, and another one gets an earlier time than what was there.
    rejectSignIn(shop.projectId, window + 70_000);
    rejectSignIn(shop.projectId, window + 500, user.userId);
    const early = await exportUntil(shop, window + windowMs + 4_000, first.next);
    expect(early.rejected).toEqual([]);
    const second = await exportUntil(shop, window + windowMs + 10_000, early.next);
    expect(second.rejected).toEqual([1, 2]);
    expect((await exportUntil(shop, window + 2 * windowMs, second.next)).rejected).toEqual([]);
  });

  test('are not passed over by an export that continues after a later event', async () => {
    const shop = await createProject(send);
    const at = Date.now();
    rejectSignIn(shop.projectId, at);
    const lines = linesOf((await download('', shop)).text).slice(0, -1);
    expect(lines.filter(({ outcome }) => outcome === 'rejected')).toEqual([]);
    const row = await findAuditRow(api.deps.db, shop.projectId, lines.at(-1).id);
    if (!row) throw new Error('the export has no event');
    const later = await exportUntil(shop, at + 2 * windowMs, placesAfterEvent(row));
    expect(later.rejected).toEqual([1]);
  });
});

test('an export that the client cuts off is recorded, and can be continued (check 10)', async () => {
  const shop = await createProject(send);
  const someone = await signUp(send, shop);
  for (let nth = 0; nth < 350; nth += 1) {
    await asAdmin('PATCH', `/users/${someone.userId}`, { display_name: `Name ${nth} ${'x'.repeat(200)}` }, shop);
  }
  const received = (await downloadFirstBytes(shop))
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(received.some(({ end }) => end)).toBe(false);
  const rest = linesOf((await download(`after_event_id=${received.at(-1).id}`, shop)).text);
  const names = [...received, ...rest]
    .filter(({ type }) => type === 'UserRenamed')
    .map(({ changes }) => changes[0].after);
  expect(names).toEqual(Array.from({ length: 350 }, (_, nth) => expect.stringMatching(new RegExp(`^Name ${nth} x`))));
  expect(rest.filter(({ type }) => type === 'AuditLogExported')).toHaveLength(2);
});

test('an export reads a page only when it is asked for (check 10)', async () => {
  const access = await api.deps.projects.find(project.projectId);
  if (!access) throw new Error('the project has no access');
  let reads = 0;
  const store = {
    ...api.deps.store,
    readAt: (...read: Parameters<typeof api.deps.store.readAt>) => {
      reads += read[0].length;
      return api.deps.store.readAt(...read);
    },
  };
  const search = { events: anyAuditEvent, rejections: null, address: null };
  const stream = `user-${user.userId}`;
  const { revision } = await api.deps.store.readStream(stream);
  const at = '2026-01-15T12:00:00.000Z';
  const events = Array.from({ length: 500 }, (_, nth) => {
    return { type: 'UserRenamed', data: { userId: user.userId, displayName: `Name ${nth}`, at } };
  });
  const metadata = { projectId: project.projectId, requestId: 'many', correlationId: 'many', causationId: null };
  const actor = { kind: 'system', id: null } as const;
  const { position } = await api.deps.store.append([{ stream, expected: revision, events }], { ...metadata, actor });
  await download('type=UserCreated');
  const caller = { projectId: project.projectId, project: access.project };
  const range = { after: { events: null, rejections: null }, until: { position, at: Number.POSITIVE_INFINITY } };
  const pages = readExport({ ...api.deps, store }, caller, search, range, unchanged);
  await pages.next();
  expect(reads).toBeLessThan(200);
  await pages.next();
  expect(reads).toBeLessThan(400);
  await pages.return(undefined);
});

const unchanged = (event: ExportedEvent) => event;

/** Ends the connection after the first part of the response. */
async function downloadFirstBytes(of: OwnedProject): Promise<string> {
  await api.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = api.app.server.address() as AddressInfo;
  const headers = {
    'x-stack-access-type': 'admin',
    'x-stack-project-id': of.projectId,
    'x-stack-super-secret-admin-key': of.keys.admin,
  };
  return new Promise((resolve, reject) => {
    const cutOff = (response: IncomingMessage) =>
      response.once('data', (chunk: Buffer) => {
        response.destroy();
        resolve(chunk.toString());
      });
    httpRequest({ port, path: '/api/v1/internal/audit-events/export', headers }, cutOff).on('error', reject).end();
  });
}

import { randomBytes } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { changeConfig, createProject, expectKnown, password, signUp } from '../../testing/requests.ts';
import { parseCsv } from './testing/csv.ts';
import { findFaults } from './testing/ocsf-schema.ts';
import { image, linesOf, startExports } from './testing/start-exports.ts';

const { api, send, project, user, asAdmin, download } = await startExports();

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

import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { windowMs } from '@gatebook/readmodel/activity/rejection-counts';
import type { RejectionFilters } from '@gatebook/readmodel/activity/rejection-list';
import { anyAuditEvent } from '@gatebook/readmodel/audit/filters';
import { findAuditRow } from '@gatebook/readmodel/audit/queries';
import { describe, expect, test } from 'vitest';
import { createProject, type OwnedProject, signUp } from '../../testing/requests.ts';
import type { AuditPlaces } from '../audit/cursor.ts';
import { placesAfterEvent } from '../audit/settled.ts';
import type { ExportedEvent } from './exported-event.ts';
import { endOf, readExport } from './read-export.ts';
import { linesOf, startExports } from './testing/start-exports.ts';

const anyRejection: RejectionFilters = {
  ...{ accessTypes: null, isWithUser: false, userId: null, requestId: null, network: null, from: null, until: null },
  except: null,
};
const { api, send, project, user, asAdmin, download, rejectSignIn } = await startExports();

describe('an export of the audit log', () => {
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

import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { createProject, type OwnedProject, type Send, senderOf } from '../../testing/requests.ts';

type Item = { id: string; type: string; at_millis: number };

/** Only the log in EventStoreDB has commit times that fall: its clock is that of the leader, which changes. */
describe.each(['memory', 'eventstoredb'] as const)('with the log in %s, whose clock is set back', (log) => {
  let api: TestApi;
  let send: Send;
  let port: number;
  beforeAll(async () => {
    api = await startTestApi({ log });
    send = senderOf(api);
    await api.app.listen({ port: 0, host: '127.0.0.1' });
    ({ port } = api.app.server.address() as AddressInfo);
  });
  afterAll(() => api.close());

  const admin = (shop: OwnedProject) => ({ ...shop, access: 'admin' }) as const;
  const list = async (shop: OwnedProject, query: string): Promise<{ items: Item[]; next: string | null }> => {
    const { body } = await send('GET', `/internal/audit-events?${query}`, admin(shop));
    return { items: body.items, next: body.pagination.next_cursor };
  };
  const download = async (shop: OwnedProject, query: string) => {
    const { text } = await send('GET', `/internal/audit-events/export?${query}`, admin(shop));
    const lines = text.split('\n').filter((line) => line !== '');
    const { next_cursor: next } = JSON.parse(lines.pop() ?? '');
    return { ids: lines.map((line): string => JSON.parse(line).id), next: String(next) };
  };

  /** Creates teams and users in turn, each at a time of the log in seconds before or after now. */
  async function record(shop: OwnedProject, seconds: readonly number[]): Promise<void> {
    for (const [nth, offset] of seconds.entries()) {
      api.simulator?.setClock(offset * 1_000);
      const isTeam = nth % 2 === 0;
      const body = isTeam ? { display_name: `Team ${nth}` } : { display_name: `User ${nth}` };
      await send('POST', isTeam ? '/teams' : '/users', { ...shop, access: 'server', body });
      // Live streams read after each of them.
      await list(shop, 'limit=1');
    }
  }
  const idsInLog = async (shop: OwnedProject, type = '') => {
    const events = (await api.deps.store.readAll(0n, 100_000)).filter(
      ({ metadata, type: is }) => metadata.projectId === shop.projectId && is.startsWith(type),
    );
    return events.map(({ id }) => id);
  };
  const hours = [0, 3_600, -60, -50, 7_200, 10, -3_600, 3_500, 5];

  async function follow(shop: OwnedProject, query: string) {
    const controller = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/internal/audit-events/stream?${query}`, {
      headers: {
        'x-stack-access-type': 'admin',
        'x-stack-project-id': shop.projectId,
        'x-stack-super-secret-admin-key': shop.keys.admin,
      },
      signal: controller.signal,
    });
    const stream = { text: '', close: () => controller.abort() };
    const read = async () => {
      for await (const part of response.body ?? []) stream.text += Buffer.from(part).toString();
    };
    read().catch(() => undefined);
    await expect.poll(() => stream.text).toContain('id: ');
    return stream;
  }
  const idsIn = (text: string): string[] =>
    [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(String(data)).id);

  test.each(['', 'TeamCreated'])('a live stream of %j has each event once, in the order of the log', async (type) => {
    const shop = await createProject(send);
    const filters = type === '' ? 'include_technical=true' : `type=${type}`;
    const before = await idsInLog(shop, type);
    const stream = await follow(shop, filters);
    await record(shop, hours);
    const added = (await idsInLog(shop, type)).slice(before.length);
    await expect.poll(() => idsIn(stream.text).length).toBeGreaterThanOrEqual(added.length);
    stream.close();
    expect(idsIn(stream.text)).toEqual(added);
    // Every cursor goes on where it stands.
    const cursors = [...stream.text.matchAll(/^id: (.*)\ndata/gm)].map(([, cursor]) => String(cursor));
    for (const [nth, cursor] of cursors.entries()) {
      const rest = await follow(shop, `${filters}&after=${encodeURIComponent(cursor)}`);
      await expect.poll(() => idsIn(rest.text).length).toBeGreaterThanOrEqual(added.length - nth - 1);
      rest.close();
      expect(idsIn(rest.text)).toEqual(added.slice(nth + 1));
    }
  });

  test('an export and the ones after it have each event once, in the order of the log', async () => {
    const shop = await createProject(send);
    await record(shop, hours);
    const query = 'outcome=success&include_technical=true';
    const first = await download(shop, query);
    api.simulator?.setClock(-7_200_000);
    await record(shop, hours.toReversed());
    const second = await download(shop, `${query}&cursor=${encodeURIComponent(first.next)}`);
    const all = await idsInLog(shop);
    expect([...first.ids, ...second.ids]).toEqual(all);
    for (const [nth, id] of all.entries()) {
      if (nth % 3 > 0) continue;
      const { ids } = await download(shop, `${query}&after_event_id=${id}`);
      expect(ids.slice(0, all.length - nth - 1)).toEqual(all.slice(nth + 1));
    }
  });

  test.each(['asc', 'desc'])('pages in order %s contain each event once, at times that never fall', async (order) => {
    const shop = await createProject(send);
    await record(shop, hours);
    const found: Item[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const cursor: string = next && `&cursor=${encodeURIComponent(next)}`;
      const page = await list(shop, `outcome=success&include_technical=true&order=${order}&limit=3${cursor}`);
      found.push(...page.items);
      next = page.next;
    }
    const ascending = order === 'asc' ? found : found.toReversed();
    expect(ascending.map(({ id }) => id)).toEqual(await idsInLog(shop));
    const times = ascending.map(({ at_millis: at }) => at);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    const middle = times[times.length >> 1] ?? 0;
    const [early, late] = await Promise.all([
      list(shop, `outcome=success&include_technical=true&limit=200&until_millis=${middle}`),
      list(shop, `outcome=success&include_technical=true&limit=200&from_millis=${middle}`),
    ]);
    expect(early.items.length + late.items.length).toBe(found.length);
  });
});

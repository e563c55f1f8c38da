import { listTeams } from '@gatebook/readmodel/teams/queries';
import { startReadSide } from '@gatebook/readmodel/testing/read-side';
import { listUsers } from '@gatebook/readmodel/users/list';
import { newId } from '@gatebook/runtime/ids';
import { expect, test } from 'vitest';
import { personAt, seededRandom } from './population.ts';
import { writePopulation } from './write-population.ts';

const setting = {
  projectId: 'internal',
  until: '2026-01-15T12:00:00.000Z',
  days: 90,
  users: 450,
  passwordHash: 'x',
  newId,
  lookupHash: (kind: string, projectId: string, value: string) => Buffer.from(kind + projectId + value).toString('hex'),
};

test('generated users and teams are appended to the log and projected', async () => {
  const side = await startReadSide();
  const progress: number[] = [];
  const onProgress = (done: number): void => void progress.push(done);
  expect(await writePopulation(side.store, setting, { teams: 12, seed: 1, onProgress })).toBe(true);
  expect(progress).toEqual([200, 400, 450, 462]);
  await side.readModels.reached(await side.store.head());
  const all = { teamId: null, cursor: null, limit: 1_000, isDescending: false, query: null };
  const { items } = await listUsers(side.db, 'internal', all);
  expect(items).toHaveLength(450);
  expect(new Set(items.map(({ primaryEmail }) => primaryEmail)).size).toBe(450);
  // Sign-in accepts no others.
  for (const { primaryEmail } of items) expect(primaryEmail).toMatch(/^[a-z]+\.[a-z]+\.\d+@mail\.example$/);
  const times = items.map(({ signedUpAt }) => signedUpAt);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(89 * 86_400_000);
  const { rows: teams } = await listTeams(side.db, 'internal', { userId: null, isDescending: false, query: null });
  expect(teams).toHaveLength(12);
  for (const { id } of teams) {
    expect((await listUsers(side.db, 'internal', { ...all, teamId: id })).items.length).toBeGreaterThan(0);
  }
  await side.close();
});

test('the same seed generates the same users; a stop keeps complete appends', async () => {
  const names = (seed: number) => {
    const random = seededRandom(seed);
    return Array.from({ length: 20 }, (_, n) =>
      JSON.stringify(personAt(n, setting, random).writes[1]?.events[0]?.data),
    );
  };
  const withoutIds = (list: string[]) => list.map((text) => text.replace(/"userId":"[^"]+"/, ''));
  expect(withoutIds(names(1))).toEqual(withoutIds(names(1)));
  expect(withoutIds(names(1))).not.toEqual(withoutIds(names(2)));
  const stopping = new AbortController();
  const appended: number[] = [];
  const append = async (writes: readonly unknown[]) => {
    appended.push(writes.length);
    stopping.abort();
    return { position: 1n };
  };
  const options = { teams: 1, seed: 1, onProgress: () => {}, signal: stopping.signal };
  expect(await writePopulation({ append }, setting, options)).toBe(false);
  expect(appended).toEqual([400]);
});

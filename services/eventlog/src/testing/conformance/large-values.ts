import { randomBytes, randomUUID } from 'node:crypto';
import { defineEvents, type Recorded } from '@gatebook/domain/event';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { metadata } from '../notes.ts';
import { follow } from '../races.ts';
import type { OpenedLog } from './opened-log.ts';

export const picturesCatalog = defineEvents({
  Pictured: {
    version: 1,
    data: z.object({
      personId: z.uuid(),
      picture: z.string().nullable(),
      caption: z.string().nullable(),
      frame: z.record(z.string(), z.json()),
    }),
    personal: { subject: 'personId', fields: ['picture', 'caption'] },
    large: ['picture', 'frame'],
  },
});

const megabyte = 1_000_000;
const text = (length: number) => randomBytes(length / 2).toString('hex');

export function testLargeValues(opened: OpenedLog): void {
  const picture = (
    personId: string,
    parts: { picture?: string; caption?: string; frame?: Record<string, string> },
  ) => ({
    type: 'Pictured',
    data: { personId, picture: null, caption: null, frame: {}, ...parts },
  });
  async function append(personId: string, ...events: ReturnType<typeof picture>[]): Promise<void> {
    const stream = `person-${personId}`;
    const { revision } = await opened.store.readStream(stream, { large: true });
    await opened.store.append([{ stream, expected: revision, events }], metadata);
  }
  const picturesIn = (events: readonly Recorded[]) => events.map(({ data }) => data.picture);

  test('large values are not in events, and every way of reading returns them', async () => {
    const ann = randomUUID();
    const large = picture(ann, { picture: text(megabyte), caption: text(10_000), frame: { color: text(10_000) } });
    await append(ann, large);
    for (const event of await opened.log.listStored()) expect(event.length).toBeLessThan(2_000);
    const other = (await opened.log.open(picturesCatalog)).store;
    for (const from of [opened.store, other]) {
      expect((await from.readStream(`person-${ann}`)).events[0]?.data).toEqual(large.data);
      expect((await from.readAll(0n, 10))[0]?.data).toEqual(large.data);
      expect((await from.readBack(null, 10))[0]?.data).toEqual(large.data);
      expect((await follow(from, 0n, 1))[0]?.data).toEqual(large.data);
      const { state } = await from.foldStream(`person-${ann}`, { initialState: {}, evolve: (_, { data }) => data });
      expect(state).toEqual(large.data);
    }
  });

  test('pages of a stream are bounded by their bytes', async () => {
    const ann = randomUUID();
    const pictures = Array.from({ length: 20 }, () => picture(ann, { picture: text(megabyte) }));
    for (const one of pictures) await append(ann, one);
    const pages = await Array.fromAsync(opened.store.readStreamPages(`person-${ann}`));
    expect(pages.flat().map(({ data }) => data)).toEqual(pictures.map(({ data }) => data));
    expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(8);
    const rest = await Array.fromAsync(opened.store.readStreamPages(`person-${ann}`, {}, 15n));
    expect(rest.flat().map(({ revision }) => revision)).toEqual([16n, 17n, 18n, 19n]);
    expect(await Array.fromAsync(opened.store.readStreamPages(`person-${randomUUID()}`))).toEqual([]);
  });

  test('readers that do not need large values get null, and the names of the values', async () => {
    const ann = randomUUID();
    await append(ann, picture(ann, { picture: text(megabyte), caption: text(10_000), frame: { color: text(10_000) } }));
    const [event] = await opened.store.readAll(0n, 10, { large: true });
    expect(event?.data).toMatchObject({ personId: ann, picture: null, frame: null });
    expect(event?.data.caption).toHaveLength(10_000);
    expect(event?.blobs?.map(({ owner }) => owner).sort()).toEqual([ann, ann, 'project-p1'].sort());
  });

  test('the same value is stored once per subject', async () => {
    const [ann, bob] = [randomUUID(), randomUUID()];
    const same = text(megabyte);
    await append(ann, picture(ann, { picture: same }), picture(ann, { picture: same, caption: 'again' }));
    await append(bob, picture(bob, { picture: same }));
    const [first, second, third] = (await opened.store.readAll(0n, 10)).map(({ blobs }) => blobs?.[0]?.hash);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
  });

  test('large values of an erased subject read as null', async () => {
    const [ann, bob] = [randomUUID(), randomUUID()];
    for (const person of [ann, bob]) await append(person, picture(person, { picture: text(megabyte) }));
    const other = (await opened.log.open(picturesCatalog)).store;
    expect(picturesIn(await other.readAll(0n, 10))).toEqual([expect.any(String), expect.any(String)]);
    await opened.keyring.erase(ann);
    for (const from of [opened.store, other]) {
      expect(picturesIn(await from.readAll(0n, 10))).toEqual([null, expect.any(String)]);
    }
    await append(ann, picture(ann, { picture: text(megabyte) }));
    expect(picturesIn(await opened.store.readAll(0n, 10))).toEqual([null, expect.any(String), null]);
  });

  test('pages with large values have at most 8 MiB of them, and lose none', async () => {
    const ann = randomUUID();
    const pictures = Array.from({ length: 12 }, () => text(megabyte));
    await append(ann, ...pictures.map((content) => picture(ann, { picture: content })));
    const pages: unknown[][] = [];
    for (let position = 0n; ; ) {
      const page = await opened.store.readAll(position, 100);
      const last = page.at(-1);
      if (!last) break;
      pages.push(picturesIn(page));
      position = last.position;
    }
    expect(pages.map(({ length }) => length)).toEqual([8, 4]);
    expect(pages.flat()).toEqual(pictures);
    expect(picturesIn(await opened.store.readBack(null, 100))).toEqual(pictures.toReversed().slice(0, 8));
    expect(picturesIn(await follow(opened.store, 0n, 12))).toEqual(pictures);
    expect(await opened.store.readAll(0n, 100, { large: true })).toHaveLength(12);
  });

  test('pages of many small events are bounded in bytes too, and lose none', async () => {
    const ann = randomUUID();
    for (let batch = 0; batch < 20; batch += 1) {
      await append(ann, ...Array.from({ length: 100 }, () => picture(ann, { caption: text(4_000) })));
    }
    const first = await opened.store.readAll(0n, 10_000);
    expect(first.length).toBeGreaterThan(1_000);
    expect(first.length).toBeLessThan(1_900);
    const rest = await opened.store.readAll(first.at(-1)?.position ?? 0n, 10_000);
    expect([...first, ...rest].map(({ revision }) => Number(revision))).toEqual([...Array(2_000).keys()]);
    expect((await opened.store.readBack(null, 10_000)).length).toBeLessThan(1_900);
    expect((await opened.store.readStream(`person-${ann}`)).revision).toBe(1_999n);
    expect((await follow(opened.store, 0n, 2_000)).length).toBe(2_000);
  });
}

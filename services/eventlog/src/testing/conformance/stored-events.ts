import { randomUUID } from 'node:crypto';
import { defineEvents } from '@gatebook/domain/event';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { UnknownEventVersionError } from '../../codec.ts';
import { type EventStore, NO_STREAM } from '../../port.ts';
import { metadata, notesCatalog, textsOf } from '../notes.ts';
import { follow } from '../races.ts';
import type { OpenedLog } from './opened-log.ts';

const newerCatalog = {
  ...notesCatalog,
  ...defineEvents({
    Noted: {
      version: 2,
      data: z.object({ lines: z.array(z.string()) }),
      upcast: { 1: ({ text }) => ({ lines: [text] }) },
    },
    Drawn: { version: 1, data: z.object({}) },
  }),
};

/** Tests versions of events, and their encrypted fields. */
export function testStoredEvents(opened: OpenedLog): void {
  const { appendNotes } = opened;

  test('old versions are upcast; a newer version or an unknown type is an unreadable event, and an error of its stream', async () => {
    await appendNotes('note-1', NO_STREAM, 'old');
    const newer = (await opened.log.open(newerCatalog)).store;
    await newer.append(
      [{ stream: 'note-2', expected: NO_STREAM, events: [{ type: 'Noted', data: { lines: ['new'] } }] }],
      metadata,
    );
    await newer.append([{ stream: 'drawing-1', expected: NO_STREAM, events: [{ type: 'Drawn', data: {} }] }], metadata);
    expect((await newer.readAll(0n, 10)).map(({ data }) => data)).toEqual([{ lines: ['old'] }, { lines: ['new'] }, {}]);
    expect(textsOf(await opened.store.readAll(0n, 1))).toEqual(['old']);
    const errors = [undefined, expect.any(UnknownEventVersionError), expect.any(UnknownEventVersionError)];
    expect((await opened.store.readAll(0n, 10)).map(({ unreadable }) => unreadable)).toEqual(errors);
    expect((await opened.store.readBack(null, 10)).map(({ unreadable }) => unreadable)).toEqual(errors.toReversed());
    expect((await follow(opened.store, 0n, 3)).map(({ unreadable }) => unreadable)).toEqual(errors);
    await expect(opened.store.readStream('note-2')).rejects.toThrow(
      /Noted .* has version 2, which is newer than this code/,
    );
    await expect(opened.store.readStream('drawing-1')).rejects.toThrow(UnknownEventVersionError);
  });

  test('personal fields are stored encrypted, and read as null once their subject is erased', async () => {
    const [ann, bob] = [randomUUID(), randomUUID()];
    const named = (personId: string, name: string) => ({
      stream: `person-${personId}`,
      expected: NO_STREAM,
      events: [{ type: 'PersonNamed', data: { personId, name, isMember: true } }],
    });
    await opened.store.append([named(ann, 'Ann Alder'), named(bob, 'Bob Birch')], metadata);
    const other = await opened.log.open(notesCatalog);
    const names = async (from: EventStore) => (await from.readAll(0n, 10)).map(({ data }) => data.name);
    expect(await names(opened.store)).toEqual(['Ann Alder', 'Bob Birch']);
    const encrypted = await opened.store.readAll(0n, 10, { personal: true });
    expect(encrypted.map(({ data }) => data)).toEqual(
      [ann, bob].map((personId) => ({ personId, name: null, isMember: true })),
    );
    expect(await names(other.store)).toEqual(['Ann Alder', 'Bob Birch']);
    const before = await opened.log.listStored();
    expect(before.join('\n')).toContain(ann);
    expect(before.join('\n')).not.toMatch(/Alder|Birch/);

    await opened.keyring.erase(ann);
    expect(await names(opened.store)).toEqual([null, 'Bob Birch']);
    await expect.poll(() => names(other.store)).toEqual([null, 'Bob Birch']);
    expect((await opened.store.readStream(`person-${ann}`)).events[0]?.data).toEqual({
      personId: ann,
      name: null,
      isMember: true,
    });
    expect(await opened.log.listStored()).toEqual(before);

    const again = { ...named(ann, 'Ann Again'), expected: 0n };
    await opened.store.append([again], metadata);
    expect(await names(opened.store)).toEqual([null, 'Bob Birch', null]);
    expect((await opened.log.listStored()).join('\n')).not.toContain('Again');
  });
}

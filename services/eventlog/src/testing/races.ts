import type { NewMetadata, Recorded } from '@gatebook/domain/event';
import { ConcurrencyError, type EventStore, NO_STREAM } from '../port.ts';

const writers = 32;
const appendsPerWriter = 25;
const contestedStreams = 5;
const cuts = 6;

/** Collects `count` events after `after` from a subscription. */
export async function follow(store: EventStore, after: bigint, count: number): Promise<readonly Recorded[]> {
  const seen: Recorded[] = [];
  for await (const batch of store.subscribe(after, new AbortController().signal)) {
    seen.push(...batch);
    if (seen.length >= count) break;
  }
  return seen;
}

/** The same numbers in [0, 1) for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/**
 * Runs 32 writers on several stores of one log, each with appends of one or two streams, some of them contested, while
 * three subscriptions read and connections are cut. @returns the texts of successful appends, and what each
 * subscription saw
 */
export async function raceWriters(race: {
  stores: readonly EventStore[];
  seed: number;
  metadata: NewMetadata;
  cutConnections(): Promise<void>;
}): Promise<{ appended: string[]; seen: readonly (readonly Recorded[])[] }> {
  const { stores, seed, metadata, cutConnections } = race;
  const random = createRandom(seed);
  const storeOf = (index: number) => stores[index % stores.length] as EventStore;
  const delay = () => new Promise((resume) => setTimeout(resume, random() * 6));
  const appended: string[] = [];

  async function writeNotes(writer: number): Promise<void> {
    const store = storeOf(writer);
    let ownRevision = NO_STREAM;
    for (let count = 0; count < appendsPerWriter; count += 1) {
      await delay();
      const isContested = random() < 0.4;
      const contested = `note-contested${Math.floor(random() * contestedStreams)}`;
      for (let attempt = 0; ; attempt += 1) {
        const texts = [`${writer}.${count}.${attempt}`];
        const writes = [{ stream: `note-${writer}`, expected: ownRevision, events: [note(texts[0] ?? '')] }];
        if (isContested) {
          const { revision } = await store.readStream(contested);
          texts.push(`${texts[0]} contested`);
          writes.push({ stream: contested, expected: revision, events: [note(texts[1] ?? '')] });
          await delay();
        }
        try {
          await store.append(writes, metadata);
          appended.push(...texts);
          ownRevision += 1n;
          break;
        } catch (error) {
          if (!(error instanceof ConcurrencyError)) throw error;
          // Writes before the conflict stay, and the next attempt continues from there.
          appended.push(...texts.slice(0, error.left.length));
          if (error.left.length > 0) ownRevision += 1n;
          await delay();
        }
      }
    }
  }

  let isWriting = true;
  async function cutNowAndThen(): Promise<void> {
    for (let cut = 1; cut <= cuts && isWriting; cut += 1) {
      const due = (cut * writers * appendsPerWriter) / (cuts + 1);
      while (isWriting && appended.length < due) await delay();
      if (isWriting) await cutConnections();
    }
  }

  const seen: Recorded[][] = [[], [], []];
  const subscriptions = seen.map(async (events, index) => {
    for await (const batch of storeOf(index).subscribe(0n, new AbortController().signal)) {
      events.push(...batch);
      if (batch.at(-1)?.data.text === 'last') return;
      if (random() < 0.3) await delay();
    }
  });
  const cutting = cutNowAndThen();
  await Promise.all(Array.from({ length: writers }, (_, writer) => writeNotes(writer)));
  isWriting = false;
  await cutting;
  // The last event, by which each subscription knows that it should have all of them.
  await storeOf(0).append([{ stream: 'note-last', expected: NO_STREAM, events: [note('last')] }], metadata);
  appended.push('last');
  await Promise.all(subscriptions);
  return { appended, seen };
}

const note = (text: string) => ({ type: 'Noted', data: { text } });

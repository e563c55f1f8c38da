import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSharedLog, type Following, note, numbered, type SharedLog } from './testing/shared-log.ts';

let log: SharedLog;
beforeEach(async () => {
  log = await createSharedLog();
});
afterEach(() => {
  log.close();
});

test('subscriptions at the head share what is read and decoded', async () => {
  const reader = log.openReader();
  const following = [log.follow(reader), log.follow(reader), log.follow(reader, 0n, { large: true })];
  await log.append('a');
  for (const { texts } of following) await expect.poll(texts).toEqual(['a']);
  await log.append('b', 'c');
  for (const { texts } of following) await expect.poll(texts).toEqual(['a', 'b', 'c']);
  expect(log.reads).toEqual([0n, 1n]);
  expect(log.state.decoded).toBe(3);
});

test('events that were handed over are not read', async () => {
  const reader = log.openReader();
  const following = log.follow(reader);
  await log.append('a');
  await expect.poll(following.texts).toEqual(['a']);
  const handOver = async (text: string) => {
    const before = BigInt(log.records.length);
    const added = await log.store(note(text));
    reader.add(before, () => added);
    log.newest.announce(BigInt(log.records.length));
  };
  await handOver('b');
  await handOver('c');
  await expect.poll(following.texts).toEqual(['a', 'b', 'c']);
  expect(log.reads).toEqual([0n]);
  // Another process was first.
  await log.store(note('d'));
  await handOver('e');
  await expect.poll(following.texts).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(log.reads).toEqual([0n, 3n]);
});

test('a page of a subscription that lagged may end after the shared events, and none comes twice', async () => {
  await log.append(...numbered(1, 4));
  const reader = log.openReader();
  const first = log.follow(reader, 4n);
  await expect.poll(() => log.newest.position()).toBe(4n);
  await new Promise((resume) => setTimeout(resume, 5));
  // Stored, but the reader does not know of them yet.
  await log.store(note('n5'), note('n6'));
  const late = log.follow(reader, 0n);
  await expect.poll(late.texts).toEqual(numbered(1, 6));
  expect(first.texts()).toEqual([]);
  log.newest.announce(6n);
  await expect.poll(first.texts).toEqual(['n5', 'n6']);
  await log.append('n7');
  await expect.poll(late.texts).toEqual(numbered(1, 7));
});

test('a subscription that lags beyond the kept events reads by itself until it has caught up', async () => {
  const reader = log.openReader({ maxRecords: 5, maxBytes: 1_000_000 });
  const fast = log.follow(reader);
  let resume = () => {};
  const slow = log.follow(reader, 0n, {}, () => new Promise((resolve) => (resume = resolve)));
  await log.append('n1');
  await expect.poll(slow.texts).toEqual(['n1']);
  for (let n = 2; n <= 40; n += 1) await log.append(`n${n}`);
  await expect.poll(fast.texts).toEqual(numbered(1, 40));
  const before = log.reads.length;
  await expect
    .poll(() => {
      resume();
      return slow.texts();
    })
    .toEqual(numbered(1, 40));
  expect(log.reads.length - before).toBe(4);
  await log.append('n41');
  await expect
    .poll(() => {
      resume();
      return slow.texts();
    })
    .toEqual(numbered(1, 41));
  expect(fast.texts()).toEqual(numbered(1, 41));
  expect(log.reads.length - before).toBe(5);
});

test('kept events are bounded in bytes', async () => {
  const reader = log.openReader({ maxRecords: 2_000, maxBytes: 3_000 });
  const fast = log.follow(reader);
  const slow = log.follow(reader, 0n, {}, () => new Promise(() => undefined));
  for (let n = 1; n <= 20; n += 1) await log.append(`n${n}`);
  await expect.poll(() => fast.texts().length).toBe(20);
  expect(slow.batches).toHaveLength(1);
  const before = log.reads.length;
  const late = log.follow(reader, 0n);
  await expect.poll(() => late.texts().length).toBe(20);
  expect(log.reads.length).toBeGreaterThan(before);
});

test('a subscription that gets an event after the erasure of its subject does not see personal data', async () => {
  const reader = log.openReader();
  const fast = log.follow(reader);
  let resume = () => {};
  const slow = log.follow(reader, 0n, {}, () => new Promise((resolve) => (resume = resolve)));
  const [ann, bob] = [randomUUID(), randomUUID()];
  const named = (personId: string, name: string) => ({ type: 'PersonNamed', data: { personId, name, isMember: true } });
  await log.append('a');
  await expect.poll(slow.texts).toEqual(['a']);
  await log.store(named(ann, 'Ann'), named(bob, 'Bob'));
  log.newest.announce(3n);
  const names = ({ batches }: Following) => batches.flat().map(({ data }) => data.name);
  await expect.poll(() => names(fast)).toEqual([undefined, 'Ann', 'Bob']);
  await log.keyring.erase(ann);
  resume();
  await expect.poll(() => names(slow)).toEqual([undefined, null, 'Bob']);
});

test('a failure of the reader ends its subscriptions, and the next one reads again', async () => {
  const reader = log.openReader();
  const following = [log.follow(reader), log.follow(reader)];
  await log.append('a');
  for (const { texts } of following) await expect.poll(texts).toEqual(['a']);
  log.state.failure = new Error('no privileges');
  log.newest.wake();
  for (const { ended } of following) expect(await ended).toBe(log.state.failure);
  log.state.failure = null;
  const next = log.follow(reader, 1n);
  await log.append('b');
  await expect.poll(next.texts).toEqual(['b']);
});

test('after a reset the reader begins again at the head', async () => {
  const reader = log.openReader();
  const following = log.follow(reader);
  await log.append('a', 'b');
  await expect.poll(following.texts).toEqual(['a', 'b']);
  reader.reset();
  await log.append('c');
  await expect.poll(following.texts).toEqual(['a', 'b', 'c']);
});

test('nothing is read while nobody subscribes', async () => {
  const reader = log.openReader();
  const following = log.follow(reader);
  await log.append('a');
  await expect.poll(following.texts).toEqual(['a']);
  following.end();
  await following.ended;
  await log.append('b');
  await new Promise((resume) => setTimeout(resume, 20));
  expect(log.reads).toEqual([0n]);
});

import { describe, expect, test } from 'vitest';
import type { WriteDeps } from '../deps.ts';
import { streamOf } from '../streams.ts';
import { signUp } from '../testing/people.ts';
import { contextOf, createWorld, interruptBefore, to } from '../testing/world.ts';
import { recordThrottledSignIns } from './throttled-sign-ins.ts';

const ctx = contextOf('shop');
const at = '2026-03-02T10:02:00.000Z';
const later = (minutes: number) => new Date(Date.parse(at) + minutes * 60_000).toISOString();

async function withUser() {
  const { deps } = await createWorld();
  const credentials = { email: 'ann@example.com', password: 'correct horse' };
  const config = { credentialEnabled: true, signUpEnabled: true };
  const { userId } = await signUp(deps, ctx, { ...credentials, config });
  const throttled = { projectId: 'shop', userId, failures: 60, minutes: 10, at };
  const record = (requestId: string, change: { at?: string; deps?: WriteDeps } = {}) =>
    recordThrottledSignIns(change.deps ?? deps, { ...throttled, requestId, at: change.at ?? at });
  const recorded = async () => {
    const { events } = await deps.store.readStream(streamOf.user(userId));
    return events.filter(({ type }) => type === 'SignInsThrottled').map(({ metadata }) => metadata.requestId);
  };
  return { deps, userId, record, recorded };
}

describe('throttled sign-ins are recorded', () => {
  test('once in the minutes of the limit, however often and in whatever order', async () => {
    const { record, recorded } = await withUser();
    await record('first');
    await record('first');
    await record('later', { at: later(9.9) });
    await record('earlier', { at: later(-9.9) });
    expect(await recorded()).toEqual(['first']);
    await record('next', { at: later(10) });
    expect(await recorded()).toEqual(['first', 'next']);
  });

  test('without reading the whole stream', async () => {
    const { deps, record, recorded } = await withUser();
    const store = { ...deps.store, readStream: () => Promise.reject(new Error('reads the stream')) };
    await record('first', { deps: { ...deps, store } });
    expect(await recorded()).toEqual(['first']);
  });

  test('once if another process records them meanwhile', async () => {
    const { deps, userId, record, recorded } = await withUser();
    const slow = interruptBefore(to(streamOf.user(userId)), deps, () => record('other'));
    await record('slow', { deps: slow });
    expect(await recorded()).toEqual(['other']);
  });
});

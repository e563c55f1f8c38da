import type { LeasedDeliveries, LeasedDelivery } from '@gatebook/readmodel/webhooks/lease-deliveries';
import { beforeEach, expect, test } from 'vitest';
import { createDueScan, type DueScan } from './due-scan.ts';

let now = 0;
let scan: DueScan;
beforeEach(() => {
  now = 0;
  scan = createDueScan(() => now);
});

const place = { at: '2026-01-01 00:00:00+00', position: '7', index: 0, nth: 0 };
const leased = (count: number, given: Partial<LeasedDeliveries> = {}): LeasedDeliveries => ({
  ...{ now: 0, deliveries: Array.from({ length: count }, () => ({}) as LeasedDelivery), next: place },
  ...{ isEnd: true, hasBlocked: false, isLimited: false, ...given },
});
const note = (found: LeasedDeliveries | null, ordering: 'subject' | 'strict' | 'none' = 'subject') =>
  scan.note(found, { ordering, limit: 5 });

test('continues after what it has looked at, until it has looked at everything', () => {
  expect(scan.begin('subject')).toEqual({ from: null, subjects: [] });
  note(leased(5, { isEnd: false }));
  expect(scan.hasMore()).toBe(true);
  expect(scan.begin('subject')).toEqual({ from: place, subjects: [] });
  note(leased(2));
  expect(scan.hasMore()).toBe(false);
  scan.restart();
  expect(scan.hasMore()).toBe(true);
});

test('looks for the next message of a finished subject if messages were passed over', () => {
  scan.begin('subject');
  note(leased(1, { hasBlocked: true }));
  expect(scan.hasMore()).toBe(false);
  scan.finish(['ann']);
  expect(scan.hasMore()).toBe(true);
  expect(scan.begin('subject')).toEqual({ from: place, subjects: ['ann'] });
  note(leased(5));
  // There was room for five: the one of Ann may not have been among them.
  expect(scan.begin('subject').subjects).toEqual(['ann']);
  note(leased(1));
  expect(scan.hasMore()).toBe(false);
});

test('does not look for subjects if nothing was passed over', () => {
  scan.begin('subject');
  note(leased(1));
  scan.finish(['ann']);
  expect(scan.hasMore()).toBe(false);
});

test('misses nothing that happens while messages are leased', () => {
  scan.begin('subject');
  scan.finish(['ann']);
  note(leased(1, { hasBlocked: true }));
  expect(scan.hasMore()).toBe(true);
  expect(scan.begin('subject').subjects).toEqual(['ann']);
  scan.restart();
  note(leased(0));
  expect(scan.hasMore()).toBe(true);
  scan.begin('subject');
  note(null);
  expect(scan.hasMore()).toBe(false);
});

test('begins again after a while, because another process can have passed messages over', () => {
  scan.begin('subject');
  note(leased(1));
  scan.restart();
  expect(scan.begin('subject').from).toEqual(place);
  note(leased(0));
  now = 30_000;
  scan.restart();
  expect(scan.begin('subject').from).toBeNull();
});

test('looks for the next message after each one in strict order, and for more while there were enough without order', () => {
  scan.begin('subject');
  note(leased(0), 'strict');
  scan.finish(['ann']);
  expect(scan.hasMore()).toBe(true);
  scan.begin('subject');
  note(leased(5), 'none');
  expect(scan.begin('subject').from).toBeNull();
});

test('begins at the front once the ordering of the endpoint is another one', () => {
  scan.begin('subject');
  note(leased(1, { hasBlocked: true }));
  scan.finish(['ann']);
  expect(scan.begin('none').from).toBeNull();
  note(leased(1), 'none');
  expect(scan.begin('subject').from).toBeNull();
});

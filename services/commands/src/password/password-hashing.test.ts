import { hash } from '@node-rs/argon2';
import bcrypt from 'bcryptjs';
import { describe, expect, test } from 'vitest';
import { OverloadedError } from './hash-queue.ts';
import { createPasswordHasher } from './password-hashing.ts';

describe('password hashing', () => {
  test('stores parameters and salt in the hash and matches only the password', async () => {
    const hasher = await createPasswordHasher();
    const [one, other] = [await hasher.hash('correct horse'), await hasher.hash('correct horse')];
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.toBe(other);
    expect(await hasher.verify(one, 'correct horse')).toBe(true);
    expect(await hasher.verify(one, 'correct horsf')).toBe(false);
  });

  test('compares every byte of a long password', async () => {
    const hasher = await createPasswordHasher();
    const long = '\u{10348}'.repeat(35);
    expect(await hasher.verify(await hasher.hash(`${long}a`), `${long}b`)).toBe(false);
  });

  test('never matches a null hash', async () => {
    const hasher = await createPasswordHasher();
    expect(await hasher.verify(null, 'the password of nobody')).toBe(false);
  });

  test('still matches hashes with other parameters and marks them for rehashing', async () => {
    const hasher = await createPasswordHasher();
    const old = await hash('correct horse', { memoryCost: 8192, timeCost: 1, parallelism: 1 });
    expect(await hasher.verify(old, 'correct horse')).toBe(true);
    expect(hasher.needsRehash(old)).toBe(true);
    expect(hasher.needsRehash(await hasher.hash('correct horse'))).toBe(false);
  });

  test('matches imported bcrypt hashes of all versions off the event loop and marks them for rehashing', async () => {
    const hasher = await createPasswordHasher();
    const made = bcrypt.hashSync('correct horse', 8);
    for (const version of ['$2a$', '$2b$', '$2y$']) {
      const stored = made.replace(/^\$2.\$/, version);
      expect(await hasher.verify(stored, 'correct horse')).toBe(true);
      expect(await hasher.verify(stored, 'wrong horse')).toBe(false);
      expect(hasher.needsRehash(stored)).toBe(true);
    }
  });

  test('rejects further passwords immediately when the queue is full', async () => {
    const hasher = await createPasswordHasher({ concurrency: 1, maxWaiting: 2 });
    const all = Array.from({ length: 5 }, (_, index) => hasher.hash(`password ${index}`));
    const outcomes = await Promise.allSettled(all);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...['fulfilled', 'fulfilled', 'fulfilled'],
      ...['rejected', 'rejected'],
    ]);
    for (const outcome of outcomes.slice(3)) {
      const reason = outcome.status === 'rejected' ? outcome.reason : null;
      expect(reason).toBeInstanceOf(OverloadedError);
      expect(reason.retryAfterSeconds).toBeGreaterThan(0);
    }
    await hasher.hash('one more');
  });

  test('never exceeds the concurrency limit, and a failed hash frees its slot', async () => {
    const hasher = await createPasswordHasher({ concurrency: 1, maxWaiting: 10 });
    await expect(hasher.verify('not a hash', 'x')).rejects.toThrow();
    const order: number[] = [];
    await Promise.all([1, 2, 3].map((nth) => hasher.hash('x').then(() => order.push(nth))));
    expect(order).toEqual([1, 2, 3]);
  });

  test('hashes the passwords of others before those of a network that guesses, known or not', async () => {
    const hasher = await createPasswordHasher({ concurrency: 1, maxWaiting: 8 });
    const stored = await hasher.hash('correct horse');
    for (const hash of [stored, null, stored]) await hasher.verify(hash, 'wrong', '203.0.113.7');
    const order: string[] = [];
    const guess = (hash: string | null) =>
      hasher.verify(hash, 'wrong', '203.0.113.7').then(
        () => order.push('guess'),
        () => order.push('rejected guess'),
      );
    const guesses = Array.from({ length: 9 }, (_, nth) => guess(nth % 2 === 0 ? stored : null));
    // The queue is full: a guess makes room.
    const person = hasher.verify(stored, 'correct horse', '192.0.2.1').then(() => order.push('person'));
    await Promise.all([...guesses, person]);
    expect(order.slice(0, 3)).toEqual(['rejected guess', 'guess', 'person']);
    expect(order).toHaveLength(10);
  });
});

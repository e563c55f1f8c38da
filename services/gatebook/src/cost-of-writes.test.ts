import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCounted } from './testing/counted-product.ts';

const password = 'correct horse battery staple';
const times = 20;

let product: Awaited<ReturnType<typeof startCounted>>;
beforeAll(async () => {
  product = await startCounted();
});
afterAll(() => product?.close());

type Tokens = { access_token: string };

/** What `write` costs, beside what the process does in this time anyway. `reads`: how many each may cause. */
async function costOf(reads: number, write: (n: number) => Promise<unknown>) {
  product.statements.length = 0;
  const start = performance.now();
  for (let n = 1; n <= times; n += 1) await write(n);
  // Reactors, metrics and the past come later.
  await new Promise((resume) => setTimeout(resume, 1_000));
  const seconds = Math.ceil((performance.now() - start) / 1_000);
  const count = (pattern: RegExp) => product.statements.filter((text) => pattern.test(text)).length;
  return {
    /** To read a stream or find out whether it has changed. Every five seconds, two for the account of an address. */
    streamReads: { found: count(/^log-(read-stream|revisions)/), most: reads * times + 2 * Math.floor(seconds / 5) },
    /** At most: the poll of the log. */
    otherReads: { found: count(/^log-(follow|read-all|read-projects)/), most: 2 + seconds },
    /** At most: one of `main` and of `events` for each write; a second, four of the audit log and three of others. */
    projections: { found: count(/^project-move-checkpoint/), most: 2 * times + 2 + 7 * seconds },
    /** At most: each of four reactors every five seconds. */
    checkpoints: { found: count(/update readmodel\.subscriptions/), most: 4 + seconds },
  };
}

test('a sign-in and a rename read no event again, and are projected once', { timeout: 120_000 }, async () => {
  const verification_callback_url = 'http://localhost:8102/handler/email-verification';
  const body = { email: `${randomUUID()}@example.com`, password };
  const signIn = () => product.send<Tokens>('POST', '/auth/password/sign-in', { body });
  await product.send('POST', '/auth/password/sign-up', { body: { ...body, verification_callback_url } });
  const { access_token: token } = await signIn();
  const rename = (n: number) =>
    product.send('PATCH', '/users/me', {
      body: { display_name: `Ann ${n}` },
      headers: { 'x-stack-access-token': token },
    });
  for (const cost of [await costOf(2, signIn), await costOf(0, rename)]) {
    const { streamReads, otherReads, projections, checkpoints } = cost;
    for (const { found, most } of [streamReads, otherReads, projections, checkpoints]) {
      expect(found).toBeLessThanOrEqual(most);
    }
    expect(projections.found).toBeGreaterThanOrEqual(1);
  }
});

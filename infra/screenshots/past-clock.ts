import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Preloaded into the product under test: sets its clock back by the milliseconds in the file named by `PAST_CLOCK_FILE`
 * and then writes the same number to `<file>.seen`. This creates a month of sign-ups over the API in seconds.
 */
const RealDate = Date;
const file = process.env.PAST_CLOCK_FILE;
let behindMs = 0;

function readOffset(): void {
  if (!file) return;
  const before = behindMs;
  behindMs = Number(readFileSync(file, 'utf8')) || 0;
  if (behindMs !== before) writeFileSync(`${file}.seen`, String(behindMs));
}

readOffset();
setInterval(readOffset, 20).unref();

const now = (): number => RealDate.now() - behindMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given) => (given.length === 0 ? new target(now()) : Reflect.construct(target, given)),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});

import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Preloaded into the product that is photographed: its clock lies back by the milliseconds that simulator the file named by
 * `PAST_CLOCK_FILE`; once it does, the same stands in `<file>.seen`. So a month of sign-ups can be made over the API in seconds, dated as if they had come day by day.
 */
const RealDate = Date;
const file = process.env.PAST_CLOCK_FILE;
let behindMs = 0;

function look(): void {
  if (!file) return;
  const before = behindMs;
  behindMs = Number(readFileSync(file, 'utf8')) || 0;
  if (behindMs !== before) writeFileSync(`${file}.seen`, String(behindMs));
}

look();
setInterval(look, 20).unref();

const now = (): number => RealDate.now() - behindMs;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, given) => (given.length === 0 ? new target(now()) : Reflect.construct(target, given)),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
});

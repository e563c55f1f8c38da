import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import type { SMTPServerOptions } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeDataFolder } from '../testing/passable-folder.ts';
import { startOnCopy } from '../testing/prepared-data.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';

let folder: string;
beforeAll(async () => {
  folder = await makeDataFolder('gatebook-mail-crash-');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Requests a sign-in email with server access to project `internal`. */
async function requestEmail({ url }: Product, email: string): Promise<void> {
  const answer = await fetch(`${url}/api/v1/auth/otp/send-sign-in-code`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-stack-access-type': 'server',
      'x-stack-project-id': 'internal',
      'x-stack-secret-server-key': internalKeys.server,
    },
    body: JSON.stringify({ email, callback_url: `${url}/handler/magic-link-callback` }),
  });
  expect(answer.status).toBe(200);
}

async function allowSignInByCode({ url }: Product): Promise<void> {
  const answer = await fetch(`${url}/api/v1/internal/projects/current`, {
    method: 'PATCH',
    headers: {
      'content-type': 'application/json',
      'x-stack-access-type': 'admin',
      'x-stack-project-id': 'internal',
      'x-stack-super-secret-admin-key': internalKeys.admin,
    },
    body: JSON.stringify({ config: { magic_link_enabled: true } }),
  });
  expect(answer.status).toBe(200);
}

const held = ['at-rcpt@example.com', 'in-data@example.com'];
const unrecorded = 'after-yes@example.com';
const queued = Array.from({ length: 12 }, (_, nth) => `queued-${nth}@example.com`);

test('kill -9 while emails are sent loses none; only an accepted email that was not recorded is sent twice, with the same Message-ID', async () => {
  let isHolding = true;
  let kill = () => {};
  const never = () => {};
  // Holds two emails in the middle of the SMTP dialogue and kills the product right after accepting a third.
  const options: SMTPServerOptions = {
    onRcptTo: ({ address }, _session, done) => (isHolding && address === held[0] ? never() : done()),
  };
  const server = await startSmtpServer(options, (received, done) => {
    if (isHolding && received.to.includes(held[1] ?? '')) return never();
    done();
    if (isHolding && received.to.includes(unrecorded)) kill();
  });
  const settings = {
    GATEBOOK_DATA_DIR: join(folder, 'data'),
    GATEBOOK_SMTP_URL: server.url,
    GATEBOOK_RATE_LIMITS: 'off',
    GATEBOOK_INTERNAL_SIGN_UP: 'open',
  };
  const first = await startOnCopy(folder, settings);
  await allowSignInByCode(first);
  const killed = new Promise<void>((resolve) => {
    kill = () => resolve(first.kill());
  });
  for (const email of [...held, ...queued]) await requestEmail(first, email);
  // The response comes after a fixed time; the process can be dead by then.
  await Promise.all([requestEmail(first, unrecorded).catch(() => {}), killed]);

  const taken = server.received.flatMap(({ to }) => to);
  isHolding = false;
  const second = await startProduct(settings);
  const all = [...held, ...queued, unrecorded];
  const mailsTo = (email: string) => server.received.filter(({ to }) => to.includes(email));
  await expect.poll(() => all.filter((email) => mailsTo(email).length === 0)).toEqual([]);
  await second.stop();
  // Only an email that the server accepted before the kill can be sent twice.
  const doubled = all.filter((email) => mailsTo(email).length > 1);
  expect(taken).toEqual(expect.arrayContaining(doubled));
  for (const email of all) {
    const ids = mailsTo(email).map(({ raw }) => /^Message-ID: (.*)$/m.exec(raw)?.[1]);
    expect(ids.length).toBeLessThanOrEqual(2);
    expect(new Set(ids).size).toBe(1);
  }
  await server.close();
});

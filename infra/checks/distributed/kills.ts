import { expect, test } from 'vitest';
import type { Part } from '../../testing/parts.ts';
import { asServer, send, startLoad } from './requests.ts';
import type { World } from './world.ts';

export function testKills(world: World): void {
  test('kill -9 of the leading projector under load: the standby takes over and no request fails', async () => {
    await expect.poll(() => world.installation.leaderOf(world.projectors)).toBeDefined();
    const load = startLoad(() => world.apis);
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(50);
    const active = await world.installation.leaderOf(world.projectors);
    if (!active) throw new Error('no projector leads');
    await world.installation.kill(active);
    const answeredBefore = load.acknowledged.length;
    await expect.poll(() => world.installation.leaderOf(world.projectors), { interval: 20 }).toBeDefined();
    await expect.poll(() => load.acknowledged.length, { interval: 20 }).toBeGreaterThan(answeredBefore + 20);
    await load.stop();
    expect(load.faults).toEqual([]);
    expect(load.unanswered).toBe(0);
    world.acknowledged.push(...load.acknowledged);
  });

  test('kill -9 of an API under load: the other API has every acknowledged write', async () => {
    const [killed, left] = world.apis;
    let alive: readonly Part[] = world.apis;
    const load = startLoad(() => alive);
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(50);
    const dead = world.installation.kill(killed);
    alive = [left];
    await dead;
    const answeredBefore = load.acknowledged.length;
    await expect.poll(() => load.acknowledged.length).toBeGreaterThan(answeredBefore + 50);
    await load.stop();
    expect(load.faults).toEqual([]);
    // Requests that the dead process was handling.
    expect(load.unanswered).toBeLessThanOrEqual(8);
    world.acknowledged.push(...load.acknowledged);
    // A change of a project waits until the lease of the dead process has expired.
    const body = { config: { passkey_enabled: false } };
    expect((await send(left, 'PATCH', '/internal/projects/current', { access: 'admin', body })).status).toBe(200);
    world.apis = [await world.installation.start('api'), left];
    for (const id of world.acknowledged.slice(-5)) {
      expect((await send(world.apis[0], 'GET', `/users/${id}`, asServer())).status).toBe(200);
    }
  });

  test('each email is sent once; when the leading worker is killed the other continues', async () => {
    const magic = { config: { magic_link_enabled: true } };
    await send(world.apis[0], 'PATCH', '/internal/projects/current', { access: 'admin', body: magic });
    const requestEmail = async (email: string, api: Part) => {
      const body = { email, callback_url: 'http://localhost:8102/handler/magic-link-callback' };
      expect((await send(api, 'POST', '/auth/otp/send-sign-in-code', asServer({ body }))).status).toBe(200);
    };
    const recipients = Array.from({ length: 20 }, (_, nth) => `once${nth}@example.com`);
    await Promise.all(recipients.map((email, nth) => requestEmail(email, world.apis[nth % 2 === 0 ? 0 : 1])));
    const emailsTo = (email: string) => world.installation.mails.received.filter(({ to }) => to.includes(email)).length;
    await expect.poll(() => recipients.map(emailsTo)).toEqual(recipients.map(() => 1));
    await expect.poll(() => world.installation.leaderOf(world.workers)).toBeDefined();
    const leading = await world.installation.leaderOf(world.workers);
    if (!leading) throw new Error('no worker leads');
    await world.installation.kill(leading);
    await requestEmail('later@example.com', world.apis[0]);
    await expect.poll(() => emailsTo('later@example.com')).toBe(1);
    expect(recipients.map(emailsTo)).toEqual(recipients.map(() => 1));
  });
}

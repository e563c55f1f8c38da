import { randomBytes } from 'node:crypto';
import { type Attack, attack } from './attack.ts';
import { mustHold } from './outcome.ts';
import { callbackUrl, newAddress, newEmail, newPassword, type World } from './world.ts';

/** One person writes again and again, ten at a time. @throws Error unless a write is rejected before the end */
async function mustEnd(world: World, count: number, path: string, bodyOf: (nth: number) => object): Promise<void> {
  const { accessToken: as } = await world.signUp(world.a);
  for (let done = 0; done < count; done += 10) {
    const tens = Array.from({ length: 10 }, (_, nth) =>
      world.send('POST', path, { ...world.a, as, body: bodyOf(done + nth) }),
    );
    const statuses = (await Promise.all(tens)).map(({ status }) => status);
    mustHold(Math.max(...statuses) < 500, `answered ${Math.max(...statuses)}`);
    if (statuses.some((status) => status >= 400)) return;
  }
  throw new Error(`${count} at ${path}, none of them rejected`);
}

export const limits: readonly Attack[] = [
  attack('L1', 'Forged forwarded addresses bypass the limit of password guesses', async (world) => {
    const person = await world.signUp(world.a);
    const mine = newAddress();
    const statuses: number[] = [];
    for (let nth = 0; nth < 15; nth += 1) {
      const headers = {
        'x-forwarded-for': `${newAddress()}, ${mine}`,
        'x-real-ip': newAddress(),
        'cf-connecting-ip': newAddress(),
      };
      const guess = { email: person.email, password: newPassword() };
      statuses.push((await world.signIn(world.a, guess, { headers })).status);
    }
    mustHold(statuses.includes(429), `15 guesses: ${[...new Set(statuses)].join()}`);
  }),
  attack('L2', 'One password is tried for many accounts from one IP address', async (world) => {
    const headers = { 'x-forwarded-for': newAddress() };
    const answers = await Promise.all(
      Array.from({ length: 140 }, () =>
        world.signIn(world.a, { email: newEmail(), password: newPassword() }, { headers }),
      ),
    );
    mustHold(
      answers.some(({ status }) => status === 429),
      '140 guesses, none limited',
    );
  }),
  attack('V9', 'A client forges the address in its own security history (L3)', async (world) => {
    const person = await world.signUp(world.a);
    const headers = {
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
      'x-forwarded-for': '1.2.3.4, 203.0.113.50',
      'cf-connecting-ip': '5.6.7.8',
      'x-real-ip': '9.8.7.6',
    };
    await world.signIn(world.a, person, { headers });
    const admin = { ...world.a, access: 'admin' } as const;
    const { text } = await world.send('GET', `/internal/users/${person.userId}/history`, admin);
    mustHold(!/1\.2\.3\.4|5\.6\.7\.8|9\.8\.7\.6/.test(text), 'a forged address is in the history');
    mustHold(text.includes('203.0.113.50'), 'the address that the proxy saw is not in the history');
  }),
  attack('V6', 'Twenty anonymous sign-ups block sign-up for everyone else (L4)', async (world) => {
    const project = await world.newProject();
    const owner = { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': project.ownerToken };
    const settings = {
      ...project,
      access: 'admin',
      headers: owner,
      body: { anonymous_sign_up_enabled: true },
    } as const;
    await world.must('PATCH', '/internal/projects/current/settings', settings);
    const signUp = () => world.send('POST', '/auth/anonymous/sign-up', { ...project, body: {} });
    for (let nth = 0; nth < 24; nth += 1) {
      const { status } = await signUp();
      mustHold(status === 200, `number ${nth + 1}, from a fresh address: ${status}`);
    }
  }),
  attack('V6', 'Ten verification emails sent by a server exhaust the limit of all its users (L5)', async (world) => {
    const { a, must, send } = world;
    for (let nth = 0; nth < 12; nth += 1) {
      const { id } = await must('POST', '/users', { ...a, access: 'server', body: { primary_email: newEmail() } });
      const { items } = await must('GET', `/contact-channels?user_id=${id}`, { ...a, access: 'server' });
      const path = `/contact-channels/${id}/${items[0].id}/send-verification-code`;
      const { status } = await send('POST', path, { ...a, access: 'server', body: { callback_url: callbackUrl } });
      mustHold(status === 200, `user ${nth + 1}: ${status}`);
    }
  }),
  attack('V6', 'Sixty wrong passwords lock out the user on a known device (L8)', async (world) => {
    const person = await world.signUp(world.a);
    const headers = {
      'x-forwarded-for': '203.0.113.77',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0',
    };
    await world.signIn(world.a, person, { headers });
    for (let round = 0; round < 8; round += 1) {
      const guess = { email: person.email, password: newPassword() };
      await Promise.all(Array.from({ length: 8 }, () => world.signIn(world.a, guess)));
    }
    const { status } = await world.signIn(world.a, person, {
      headers: { ...headers, 'x-stack-refresh-token': person.refreshToken },
    });
    mustHold(status === 200, `the user’s correct password: ${status}`);
  }),
  attack('V6', 'Invented refresh tokens block all users of the same IP address', async (world) => {
    const person = await world.signUp(world.a);
    const from = { 'x-forwarded-for': newAddress() };
    const refresh = (token: string) =>
      world.send('POST', '/auth/sessions/current/refresh', {
        ...world.a,
        headers: { ...from, 'x-stack-refresh-token': token },
      });
    for (let round = 0; round < 13; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => refresh(randomBytes(23).toString('hex').slice(0, 45))));
    }
    const { status } = await refresh(person.refreshToken);
    mustHold(status === 200, `a valid refresh token: ${status}`);
  }),
  attack('L6', 'A mailbox is flooded through many users', async (world) => {
    const { a, must, send } = world;
    const victim = newEmail('flooded');
    const inviter = await world.signUp(a);
    const team = await must('POST', '/teams', { ...a, as: inviter.accessToken, body: { display_name: 'Crew' } });
    const body = { team_id: team.id, email: victim, callback_url: callbackUrl };
    for (let nth = 0; nth < 25; nth += 1)
      await send('POST', '/team-invitations/send-code', { ...a, access: 'server', body });
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    const { length } = await world.listMails(victim);
    mustHold(length <= 15, `${length} emails`);
  }),
  attack('V10', 'One client creates an unlimited number of teams (L10)', async (world) => {
    await mustEnd(world, 130, '/teams', (nth) => ({ display_name: `Team ${nth}` }));
  }),
  attack('V10', 'One client creates an unlimited number of API keys (L10)', async (world) => {
    await mustEnd(world, 130, '/user-api-keys', () => ({ user_id: 'me', description: 'k', expires_at_millis: null }));
  }),
  attack('V10', 'One client reserves an unlimited number of other people’s addresses (L10, L11)', async (world) => {
    const address = () => ({ user_id: 'me', type: 'email', value: newEmail('reserved'), used_for_auth: true });
    await mustEnd(world, 60, '/contact-channels', address);
  }),
  attack('V10', 'A display name of 200,000 characters is stored (I5)', async (world) => {
    const person = await world.signUp(world.a);
    const body = { display_name: 'x'.repeat(200_000) };
    const { status } = await world.send('PATCH', '/users/me', { ...world.a, as: person.accessToken, body });
    mustHold(status >= 400 && status < 500, `answered ${status}`);
  }),
];

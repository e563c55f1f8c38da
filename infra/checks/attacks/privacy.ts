import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, attack } from './attack.ts';
import { mustHold } from './outcome.ts';
import { callbackUrl, newEmail, newPassword } from './world.ts';

const settleMs = 500;

export const privacy: readonly Attack[] = [
  attack('V7', 'A server’s retried creation replays a user who was deleted in the meantime (Z9)', async (world) => {
    const { a, send } = world;
    const body = { display_name: `Gone ${randomBytes(4).toString('hex')}`, primary_email: newEmail('gone') };
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') };
    const create = () => send('POST', '/users', { ...a, access: 'server', body, headers });
    const { id } = (await create()).body;
    await world.must('DELETE', `/users/${id}`, { ...a, access: 'server' });
    const { text, headers: told } = await create();
    mustHold(told.get('idempotency-replayed') === null, 'replayed');
    mustHold(!text.includes(body.display_name) && !text.includes(body.primary_email), 'the response names the user');
  }),
  attack('V7', 'A deleted user’s token replays their writes', async (world) => {
    const { a, send } = world;
    const person = await world.signUp(a);
    const display_name = `Gone ${randomBytes(4).toString('hex')}`;
    const headers = { 'idempotency-key': randomBytes(8).toString('hex') };
    const write = () => send('PATCH', '/users/me', { ...a, as: person.accessToken, body: { display_name }, headers });
    mustHold((await write()).status === 200, 'the write does not work');
    await world.must('DELETE', `/users/${person.userId}`, { ...a, access: 'server' });
    const { status, text } = await write();
    mustHold(status >= 400 && !text.includes(display_name), `answered ${status}`);
  }),
  attack('V7', 'An address stays in open invitations and sent emails after the erasure of its user', async (world) => {
    const project = await world.newProject();
    const email = newEmail('gone');
    const team = await world.must('POST', '/teams', { ...project, access: 'server', body: { display_name: 'Crew' } });
    const body = { team_id: team.id, email, callback_url: callbackUrl };
    await world.must('POST', '/team-invitations/send-code', { ...project, access: 'server', body });
    await world.nextCode(email);
    const { id } = await world.must('POST', '/users', { ...project, access: 'server', body: { primary_email: email } });
    await world.must('DELETE', `/users/${id}`, { ...project, access: 'server' });
    for (const [access, path] of [
      ['server', `/team-invitations?team_id=${team.id}`],
      ['admin', '/internal/emails'],
    ] as const) {
      const { text } = await world.send('GET', path, { ...project, access });
      mustHold(!text.includes(email), `${path} names the address`);
    }
  }),
  attack('Z10', 'A user’s export names other users or contains secrets', async (world) => {
    const { a, must } = world;
    const [person, other] = [await world.signUp(a), await world.signUp(a)];
    const team = await must('POST', '/teams', { ...a, as: person.accessToken, body: { display_name: 'Crew' } });
    await must('POST', `/team-memberships/${team.id}/${other.userId}`, { ...a, access: 'server', body: {} });
    const { text } = await world.send('GET', '/users/me/export', { ...a, as: person.accessToken });
    mustHold(!text.includes(other.email), 'another member’s address');
    for (const secret of [person.password, person.refreshToken, person.accessToken, '$argon2']) {
      mustHold(!text.includes(secret), 'a secret');
    }
  }),
  attack('P1', 'Passwords, tokens, codes and keys are in the process log', async (world) => {
    const { a } = world;
    const person = await world.signUp(a);
    const password = newPassword();
    await world.signIn(a, { email: person.email, password });
    await world.must('POST', '/auth/password/send-reset-code', {
      ...a,
      body: { email: person.email, callback_url: callbackUrl },
    });
    const code = await world.nextCode(person.email);
    await world.send('POST', '/auth/password/reset', { ...a, body: { code, password } });
    await world.send('POST', '/auth/password/reset', { ...a, body: `{"code":"${code}","password":` });
    await pause(settleMs);
    const log = world.printed();
    const secrets = [
      password,
      person.password,
      person.accessToken,
      person.refreshToken,
      code,
      person.email,
      ...Object.values(a.keys),
    ];
    const found = secrets.filter((secret) => log.includes(secret));
    mustHold(found.length === 0, `${found.length} of ${secrets.length} secrets are in the log`);
  }),
  attack('P3', 'Errors reveal files, queries or versions', async (world) => {
    const answers = [
      await world.send('POST', '/users', { ...world.a, access: 'server', body: '{"client_metadata":1e400}' }),
      await world.send('GET', '/users/x', { ...world.a, access: 'server' }),
      await world.send('POST', '/auth/oauth/token', { ...world.a, body: '{' }),
      await world.send('GET', '/nowhere'),
    ];
    for (const { text, headers } of answers) {
      mustHold(!/node_modules|\/src\/|at \w+ \(|select .* from|postgres|fastify/i.test(text), text.slice(0, 120));
      mustHold(headers.get('x-powered-by') === null && headers.get('server') === null, 'a header names the server');
    }
  }),
];

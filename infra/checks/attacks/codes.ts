import { type Attack, attack } from './attack.ts';
import { mustHold, mustReject } from './outcome.ts';
import { callbackUrl, newEmail, newPassword, type Person, type Project, type World } from './world.ts';

const askForReset = (world: World, project: Project, email: string) =>
  world.must('POST', '/auth/password/send-reset-code', { ...project, body: { email, callback_url: callbackUrl } });
const redeemReset = (world: World, project: Project, code: string, password = newPassword()) =>
  world.send('POST', '/auth/password/reset', { ...project, body: { code, password } });

/** A user whose address is proven, with a password. */
async function proven(world: World, project: Project): Promise<Person> {
  const person = await world.signUp(project);
  const password = await world.resetPassword(project, person.email);
  const { body } = await world.signIn(project, { email: person.email, password });
  return { ...person, password, accessToken: body.access_token, refreshToken: body.refresh_token };
}

const elsewhere = [
  ...[
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '//evil.example',
    'https://evil.example/handler',
  ],
  ...['https://localhost.evil.example/', 'https://evil.example#@localhost', 'https://localhost@evil.example/'],
  ...[
    'http://localhost:3000@evil.example',
    'https://127.0.0.1.evil.example/',
    'https:\\\\evil.example',
    'http://[::1].evil.example/',
  ],
  ...['vbscript:x', 'blob:http://localhost/x'],
];

export const codes: readonly Attack[] = [
  attack('V5', 'An older reset code is used after a newer one (G5)', async (world) => {
    const person = await world.signUp(world.a);
    await askForReset(world, world.a, person.email);
    const older = await world.nextCode(person.email);
    await askForReset(world, world.a, person.email);
    const newer = await world.nextCode(person.email);
    mustHold((await redeemReset(world, world.a, newer)).status === 200, 'the newer code does not work');
    mustReject(await redeemReset(world, world.a, older), 'older code');
  }),
  attack('V5', 'A reset code is used after the user has changed the password (G6)', async (world) => {
    const person = await proven(world, world.a);
    await askForReset(world, world.a, person.email);
    const code = await world.nextCode(person.email);
    const body = { old_password: person.password, new_password: newPassword() };
    await world.must('POST', '/auth/password/update', { ...world.a, as: person.accessToken, body });
    mustReject(await redeemReset(world, world.a, code), 'code from before the change');
  }),
  attack('C1', 'One reset code is redeemed thirty times at once', async (world) => {
    const person = await world.signUp(world.a);
    await askForReset(world, world.a, person.email);
    const code = await world.nextCode(person.email);
    const answers = await Promise.all(Array.from({ length: 30 }, () => redeemReset(world, world.a, code)));
    const used = answers.filter(({ status }) => status === 200).length;
    mustHold(used === 1, `${used} redemptions`);
  }),
  attack('C1', 'One sign-in code is redeemed thirty times at once', async (world) => {
    const email = newEmail();
    await world.must('POST', '/auth/otp/send-sign-in-code', { ...world.a, body: { email, callback_url: callbackUrl } });
    const code = await world.nextCode(email);
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => world.send('POST', '/auth/otp/sign-in', { ...world.a, body: { code } })),
    );
    const used = answers.filter(({ status }) => status === 200).length;
    mustHold(used === 1, `${used} sign-ins`);
  }),
  attack('C2', 'The six characters of a sign-in code are guessed for a nonce', async (world) => {
    const email = newEmail();
    const body = { email, callback_url: callbackUrl };
    const { nonce } = await world.must('POST', '/auth/otp/send-sign-in-code', { ...world.a, body });
    const right = await world.nextCode(email);
    for (let nth = 0; nth < 25; nth += 1) {
      const guess = `${String(nth).padStart(6, '0')}${nonce}`;
      mustReject(await world.send('POST', '/auth/otp/sign-in', { ...world.a, body: { code: guess } }), 'guess');
    }
    mustReject(
      await world.send('POST', '/auth/otp/sign-in', { ...world.a, body: { code: right } }),
      'after 25 guesses',
    );
  }),
  attack('C3', 'A code of one purpose or project is used for another', async (world) => {
    const { a, b } = world;
    const person = await world.signUp(a);
    await askForReset(world, a, person.email);
    const reset = await world.nextCode(person.email);
    mustReject(await redeemReset(world, b, reset), 'reset in another project');
    mustReject(
      await world.send('POST', '/auth/otp/sign-in', { ...a, body: { code: reset } }),
      'reset code as sign-in code',
    );
    mustReject(
      await world.send('POST', '/contact-channels/verify', { ...a, body: { code: reset } }),
      'as verification',
    );
    mustReject(
      await world.send('POST', '/team-invitations/accept', { ...a, as: person.accessToken, body: { code: reset } }),
      'as invitation',
    );
    mustHold((await redeemReset(world, a, reset)).status === 200, 'the code no longer works');
  }),
  attack('C4', 'An email scanner that opens the link consumes the code', async (world) => {
    const person = await world.signUp(world.a);
    await askForReset(world, world.a, person.email);
    const code = await world.nextCode(person.email);
    for (const path of ['/handler/password-reset', '/handler/magic-link-callback', '/api/v1/auth/password/reset']) {
      for (const method of ['GET', 'HEAD']) await fetch(`${world.origin}${path}?code=${code}`, { method });
    }
    mustHold((await redeemReset(world, world.a, code)).status === 200, 'the code was consumed');
  }),
  attack('C6', 'Emails with a code link to other sites', async (world) => {
    const person = await world.signUp(world.a);
    for (const callback_url of elsewhere) {
      const reset = { ...world.a, access: 'server' as const, body: { email: person.email, callback_url } };
      mustReject(await world.send('POST', '/auth/password/send-reset-code', reset), `reset to ${callback_url}`);
      const signIn = { ...world.a, access: 'server' as const, body: { email: newEmail(), callback_url } };
      mustReject(await world.send('POST', '/auth/otp/send-sign-in-code', signIn), `sign-in to ${callback_url}`);
    }
  }),
  attack(
    'V12',
    'Emails with a code link to other programs by a custom scheme with host localhost (R2)',
    async (world) => {
      for (const scheme of ['intent', 'chrome', 'ftp', 'vscode']) {
        const body = { email: newEmail(), callback_url: `${scheme}://localhost/x` };
        const answer = await world.send('POST', '/auth/otp/send-sign-in-code', { ...world.a, access: 'server', body });
        mustReject(answer, scheme);
      }
    },
  ),
  attack('C7', 'A revoked invitation is accepted', async (world) => {
    const { a, must, send } = world;
    const [person, email] = [await world.signUp(a), newEmail('invited')];
    const team = await must('POST', '/teams', { ...a, as: person.accessToken, body: { display_name: 'Crew' } });
    const body = { team_id: team.id, email, callback_url: callbackUrl };
    const { id } = await must('POST', '/team-invitations/send-code', { ...a, as: person.accessToken, body });
    const code = await world.nextCode(email);
    await must('DELETE', `/team-invitations/${id}?team_id=${team.id}`, { ...a, as: person.accessToken });
    const other = await world.signUp(a);
    mustReject(
      await send('POST', '/team-invitations/accept', { ...a, as: other.accessToken, body: { code } }),
      'accepted',
    );
  }),
  attack('Z15', 'The polling code of a CLI login approves it or is used twice', async (world) => {
    const { a, must, send } = world;
    const person = await world.signUp(a);
    const { polling_code, login_code } = await must('POST', '/auth/cli', { ...a, body: {} });
    const complete = (code: string) =>
      send('POST', '/auth/cli/complete', { ...a, body: { login_code: code, refresh_token: person.refreshToken } });
    mustReject(await complete(polling_code), 'approved by the polling code');
    mustHold((await complete(login_code)).status === 200, 'the login code does not work');
    mustReject(await complete(login_code), 'approved twice');
    const poll = () => send('POST', '/auth/cli/poll', { ...a, body: { polling_code } });
    mustHold((await poll()).body.refresh_token !== undefined, 'polling returns no token');
    mustHold((await poll()).body.refresh_token === undefined, 'a second token');
    const other = await send('POST', '/auth/cli/poll', { ...a, body: { polling_code: login_code } });
    mustHold(other.body.refresh_token === undefined, 'a token for the login code');
  }),
];

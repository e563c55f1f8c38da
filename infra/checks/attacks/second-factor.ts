import { randomBytes } from 'node:crypto';
import { totpOf } from '../../testing/totp.ts';
import { type Attack, attack } from './attack.ts';
import { mustHold, mustReject } from './outcome.ts';
import { callbackUrl, newEmail, newPassword, type Person, type Project, type World } from './world.ts';

async function withTotp(world: World, project: Project): Promise<{ person: Person; secret: Buffer }> {
  const [person, secret] = [await world.signUp(project), randomBytes(20)];
  const body = { totp_secret_base64: secret.toString('base64') };
  await world.must('PATCH', `/users/${person.userId}`, { ...project, access: 'server', body });
  return { person, secret };
}

async function attemptCode(world: World, project: Project, person: Person): Promise<string> {
  const { status, body } = await world.signIn(project, person);
  mustHold(status >= 400, 'the password alone signs in');
  return body.details?.attempt_code ?? '';
}
const redeem = (world: World, project: Project, code: string, totp: string) =>
  world.send('POST', '/auth/mfa/sign-in', { ...project, body: { type: 'totp', totp, code } });

export const secondFactor: readonly Attack[] = [
  attack('M1', 'A TOTP code is used for a second sign-in', async (world) => {
    const { person, secret } = await withTotp(world, world.a);
    const totp = totpOf(secret);
    const first = await redeem(world, world.a, await attemptCode(world, world.a, person), totp);
    mustHold(first.status === 200, `the first use answered ${first.status}`);
    mustReject(await redeem(world, world.a, await attemptCode(world, world.a, person), totp), 'second use');
  }),
  attack('M2', 'The TOTP code of one attempt is guessed', async (world) => {
    const { person, secret } = await withTotp(world, world.a);
    const code = await attemptCode(world, world.a, person);
    const right = totpOf(secret);
    for (let nth = 0; nth < 21; nth += 1) {
      const guess = String((Number(right) + 1 + nth) % 1_000_000).padStart(6, '0');
      mustReject(await redeem(world, world.a, code, guess), 'guess');
    }
    mustReject(await redeem(world, world.a, code, totpOf(secret)), 'correct code after 21 guesses');
  }),
  attack('M3', 'A password reset bypasses the second factor', async (world) => {
    const { person, secret } = await withTotp(world, world.a);
    const password = await world.resetPassword(world.a, person.email);
    const { status } = await world.signIn(world.a, { email: person.email, password });
    // The first proof of an address may remove a factor that somebody planted; for a proven one it has to stay.
    if (status === 200) {
      await world.must('PATCH', `/users/${person.userId}`, {
        ...world.a,
        access: 'server',
        body: { totp_secret_base64: secret.toString('base64') },
      });
      const again = await world.resetPassword(world.a, person.email);
      mustHold((await world.signIn(world.a, { email: person.email, password: again })).status >= 400, 'signed in');
    }
  }),
  attack('M5', 'One attempt of the second factor is redeemed twenty times at once', async (world) => {
    const { person, secret } = await withTotp(world, world.a);
    const code = await attemptCode(world, world.a, person);
    const totp = totpOf(secret);
    const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(world, world.a, code, totp)));
    const used = answers.filter(({ status }) => status === 200).length;
    mustHold(used === 1, `${used} sign-ins`);
  }),
  attack('V12', 'A TOTP secret of one byte is accepted (M6)', async ({ a, signUp, send }) => {
    const person = await signUp(a);
    const body = { totp_secret_base64: 'QQ==' };
    mustReject(await send('PATCH', '/users/me', { ...a, as: person.accessToken, body }), 'accepted');
  }),
  attack(
    'M7',
    'A passkey response from another origin, for another site or without user presence signs in',
    async (world) => {
      const { a, must, send } = world;
      const person = await world.signUp(a);
      const passkey = await world.registerPasskey(a, person.accessToken);
      const twists = [
        { origin: 'https://evil.example' },
        { rpId: 'evil.example' },
        { flags: 0 },
        { type: 'webauthn.create' },
        { challenge: 'x' },
      ];
      for (const twist of twists) {
        const begun = await must('POST', '/auth/passkey/initiate-passkey-authentication', { ...a, body: {} });
        const authentication_response = passkey.authenticate(begun.options_json, twist);
        const body = { authentication_response, code: begun.code };
        mustReject(await send('POST', '/auth/passkey/sign-in', { ...a, body }), JSON.stringify(twist));
      }
    },
  ),
  attack('M8', 'A passkey response is replayed, and its counter decreases', async (world) => {
    const { a, must, send } = world;
    const person = await world.signUp(a);
    const passkey = await world.registerPasskey(a, person.accessToken);
    const begun = await must('POST', '/auth/passkey/initiate-passkey-authentication', { ...a, body: {} });
    const body = { authentication_response: passkey.authenticate(begun.options_json), code: begun.code };
    await must('POST', '/auth/passkey/sign-in', { ...a, body });
    mustReject(await send('POST', '/auth/passkey/sign-in', { ...a, body }), 'used again');
    const next = await must('POST', '/auth/passkey/initiate-passkey-authentication', { ...a, body: {} });
    const cloned = passkey.authenticate(next.options_json, { counter: 1 });
    mustReject(
      await send('POST', '/auth/passkey/sign-in', { ...a, body: { authentication_response: cloned, code: next.code } }),
      'counter back',
    );
  }),
  attack('V12', 'A password is changed without a notice to the user (M4, G7)', async (world) => {
    const { a } = world;
    const person = await world.signUp(a);
    const password = await world.resetPassword(a, person.email);
    const { body } = await world.signIn(a, { email: person.email, password });
    const change = { old_password: password, new_password: newPassword() };
    await world.must('POST', '/auth/password/update', { ...a, as: body.access_token, body: change });
    const notice = await world.nextMail(
      person.email,
      ({ subject }) => /password/i.test(subject) && !/reset/i.test(subject),
      8_000,
    );
    mustHold(notice !== null, 'no notice arrived');
  }),
  attack('V12', 'A common password is accepted (G8)', async ({ a, send }) => {
    for (const password of ['password', '12345678', 'qwertyuiop']) {
      const body = { email: newEmail(), password, verification_callback_url: callbackUrl };
      mustReject(await send('POST', '/auth/password/sign-up', { ...a, body }), password);
    }
  }),
];

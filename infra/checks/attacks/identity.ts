import { type Attack, attack } from './attack.ts';
import { mustHold, mustReject } from './outcome.ts';
import { callbackUrl, newEmail, newPassword } from './world.ts';

export const identity: readonly Attack[] = [
  attack('V2', 'A passkey planted before the owner’s reset still signs in (O2)', async (world) => {
    const { a } = world;
    const attacker = await world.signUp(a);
    const passkey = await world.registerPasskey(a, attacker.accessToken);
    await world.resetPassword(a, attacker.email);
    const { status } = await world.signInByPasskey(a, passkey);
    mustHold(status >= 400, `the attacker's passkey answered ${status}`);
  }),
  attack(
    'V2',
    'An attacker keeps access to an account with the victim’s address after the victim’s reset (O1)',
    async (world) => {
      const { a, send, must } = world;
      const attacker = await world.signUp(a);
      const passkey = await world.registerPasskey(a, attacker.accessToken);
      const victim = newEmail('victim');
      const body = { user_id: 'me', type: 'email', value: victim, used_for_auth: true };
      const added = await send('POST', '/contact-channels', { ...a, as: attacker.accessToken, body });
      const newKey = { user_id: 'me', description: 'k', expires_at_millis: null };
      const key = await must('POST', '/user-api-keys', { ...a, as: attacker.accessToken, body: newKey });
      if (added.status >= 400) return;
      await must('POST', '/auth/password/send-reset-code', {
        ...a,
        body: { email: victim, callback_url: callbackUrl },
      });
      const mail = await world.nextMail(victim, ({ code }) => code !== null, 4_000);
      if (mail === null) return;
      const password = newPassword();
      await must('POST', '/auth/password/reset', { ...a, body: { code: mail.code, password } });
      const owner = await world.signIn(a, { email: victim, password });
      mustHold(owner.status === 200, 'the owner can’t sign in');
      // The maker may keep an account, but not the one that the owner has now.
      const reached = [
        ['passkey', (await world.signInByPasskey(a, passkey)).body.user_id],
        ['password', (await world.signIn(a, attacker)).body.user_id],
        ['session', (await send('GET', '/users/me', { ...a, as: attacker.accessToken })).body.id],
        [
          'API key',
          (await send('POST', '/user-api-keys/check', { ...a, access: 'server', body: { api_key: key.value } })).body
            .user_id,
        ],
      ];
      for (const [by, userId] of reached)
        mustHold(userId !== owner.body.user_id, `the attacker’s ${by} opens the owner’s account`);
    },
  ),
  attack('V2', 'A provider account linked before the owner’s reset still signs in (O3)', async (world) => {
    const { a } = world;
    const attacker = await world.signUp(a);
    const linked = { email: newEmail('attacker'), name: 'Attacker' };
    const link = { type: 'link', token: attacker.accessToken };
    const code = (await world.oauthCode(a, linked, { more: link })).searchParams.get('code') ?? '';
    mustHold((await world.redeemOAuth(a, code)).status === 200, 'the user can’t link a provider account');
    await world.resetPassword(a, attacker.email);
    const again = (await world.oauthCode(a, linked)).searchParams.get('code');
    const signedIn = again === null ? null : await world.redeemOAuth(a, again);
    if (signedIn?.status !== 200) return;
    const { body } = await world.send('GET', '/users/me', { ...a, as: signedIn.body.access_token });
    mustHold(body.id !== attacker.userId, 'the planted provider account signs in as the owner');
  }),
  attack(
    'V2',
    'The attacker’s password and session outlive the verification of the address by its owner (O4)',
    async (world) => {
      const { a, must, send } = world;
      const attacker = await world.signUp(a);
      const { items } = await must('GET', '/contact-channels?user_id=me', { ...a, as: attacker.accessToken });
      await send('POST', `/contact-channels/me/${items[0].id}/send-verification-code`, {
        ...a,
        as: attacker.accessToken,
        body: { callback_url: callbackUrl },
      });
      // The owner follows the link in a browser of their own, where nobody is signed in.
      await must('POST', '/contact-channels/verify', { ...a, body: { code: await world.nextCode(attacker.email) } });
      mustHold((await world.signIn(a, attacker)).status >= 400, 'the attacker’s password still signs in');
      mustHold(!(await world.isAlive(a, attacker.accessToken)), 'the attacker’s session is still active');
    },
  ),
  attack('O5', 'A provider account is linked to an unverified user with the same address', async (world) => {
    const { a } = world;
    const attacker = await world.signUp(a);
    const back = await world.oauthCode(a, { email: attacker.email, name: 'Owner' });
    const code = back.searchParams.get('code');
    if (code === null) return;
    const { status, body } = await world.redeemOAuth(a, code);
    if (status !== 200) return;
    const me = await world.must('GET', '/users/me', { ...a, as: body.access_token });
    mustHold(
      me.id !== attacker.userId || (await world.signIn(a, attacker)).status >= 400,
      'both sign in to one account',
    );
  }),
  attack(
    'O8',
    'A sign-in code for an unverified address of another user signs in to that user’s account',
    async (world) => {
      const { a } = world;
      const attacker = await world.signUp(a);
      const body = { email: attacker.email, callback_url: callbackUrl };
      const asked = await world.send('POST', '/auth/otp/send-sign-in-code', { ...a, body });
      if (asked.status >= 400) return;
      const mail = await world.nextMail(
        attacker.email,
        ({ subject, code }) => code !== null && /sign-in code/i.test(subject),
        4_000,
      );
      if (mail === null) return;
      const signedIn = await world.send('POST', '/auth/otp/sign-in', { ...a, body: { code: mail.code } });
      mustHold(
        signedIn.status >= 400 || (await world.signIn(a, attacker)).status >= 400,
        'both sign in to one account',
      );
    },
  ),
  attack('O11', 'One address signs up in thirty concurrent requests with different spellings', async ({ a, send }) => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, nth) => {
        const spelled = nth % 2 === 0 ? email : email.toUpperCase();
        const body = { email: spelled, password: newPassword(), verification_callback_url: callbackUrl };
        return send('POST', '/auth/password/sign-up', { ...a, access: 'server', body });
      }),
    );
    const made = answers.filter(({ status }) => status === 200).length;
    mustHold(made <= 1, `${made} users with one address`);
    mustHold(
      answers.every(({ status }) => status < 500),
      'a sign-up failed',
    );
  }),
  attack('Z14', 'A token of an anonymous user is used after their sign-up', async (world) => {
    const project = await world.newProject();
    const owner = { 'x-stack-super-secret-admin-key': '', 'x-stack-admin-access-token': project.ownerToken };
    await world.must('PATCH', '/internal/projects/current/settings', {
      ...project,
      access: 'admin',
      headers: owner,
      body: { anonymous_sign_up_enabled: true },
    });
    const { access_token: as, refresh_token } = await world.must('POST', '/auth/anonymous/sign-up', {
      ...project,
      body: {},
    });
    const body = { email: newEmail(), password: newPassword(), verification_callback_url: callbackUrl };
    await world.must('POST', '/auth/password/sign-up', { ...project, as, body });
    mustHold(!(await world.isAlive(project, as)), 'the anonymous access token still works');
    const headers = { 'x-stack-refresh-token': refresh_token };
    mustReject(await world.send('POST', '/auth/sessions/current/refresh', { ...project, headers }), 'refresh');
  }),
  attack('G1', 'A stranger’s request enables sign-in codes for a user who disabled them', async (world) => {
    const { a, must } = world;
    const person = await world.signInByCode(a, newEmail('owner'));
    const me = await must('PATCH', '/users/me', {
      ...a,
      as: person.body.access_token,
      body: { otp_auth_enabled: false },
    });
    await world.send('POST', '/auth/otp/send-sign-in-code', {
      ...a,
      body: { email: me.primary_email, callback_url: callbackUrl },
    });
    const after = await must('GET', `/users/${me.id}`, { ...a, access: 'server' });
    mustHold(after.otp_auth_enabled === false, 'sign-in codes are enabled again');
  }),
];

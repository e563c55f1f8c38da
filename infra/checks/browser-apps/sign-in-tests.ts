import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createVisitor, type Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** The pages of the published library that sign users up and in. */
export function testSignInPages(worldOf: () => World): void {
  describe('the sign-in pages', () => {
    let world: World;
    let visitor: Visitor;
    beforeEach(async () => {
      world = worldOf();
      visitor = await createVisitor(world);
    });
    afterEach(async () => {
      await visitor.context.close();
      expect(world.faults.take()).toEqual([]);
    });

    test('sign a user up, verify the address, sign out and sign in again', async () => {
      await visitor.signUp();
      await visitor.openMailedLink();
      await visitor.press('Verify');
      await visitor.sees('You email has been verified!');
      await visitor.signOut();
      await visitor.open('/handler/sign-in');
      await visitor.signInWithPassword();
      await visitor.seesOwnEmail();
    });

    test('report a wrong password', async () => {
      await visitor.signUp();
      await visitor.signOut();
      await visitor.open('/handler/sign-in');
      await visitor.signInWithPassword('another passphrase');
      await visitor.page.getByText(/^Wrong .* or password\.$/).waitFor();
      expect(world.faults.take()).toEqual(['POST /api/v1/auth/password/sign-in 400 EMAIL_PASSWORD_MISMATCH']);
    });

    test('reset a forgotten password', async () => {
      await visitor.signUp();
      await world.inbox.next(visitor.email);
      await visitor.signOut();
      await visitor.open('/handler/forgot-password');
      await visitor.fill({ 'Your Email': visitor.email });
      await visitor.press('Send Email');
      await visitor.sees('Email sent!');
      await visitor.openMailedLink();
      const chosen = 'a new long passphrase';
      await visitor.fill({ 'New Password': chosen, 'Repeat New Password': chosen });
      await visitor.press('Reset Password');
      await visitor.sees('Password reset successfully!');
      await visitor.open('/handler/sign-in');
      await visitor.signInWithPassword(chosen);
      await visitor.seesOwnEmail();
    });

    test('sign a user up by the link in an email', async () => {
      await visitor.open('/handler/sign-in');
      await visitor.fill({ Email: visitor.email });
      await visitor.press('Send email');
      await visitor.sees('Enter the code from your email');
      await visitor.openMailedLink();
      await visitor.press('Sign in');
      await visitor.seesOwnEmail();
    });

    test('sign a user up by the code in an email', async () => {
      await visitor.open('/handler/sign-up');
      await visitor.fill({ Email: visitor.email });
      await visitor.press('Send email');
      await visitor.sees('Enter the code from your email');
      const { shortCode } = await world.inbox.next(visitor.email);
      await visitor.page.getByRole('textbox').fill(shortCode ?? '');
      await visitor.seesOwnEmail();
    });

    test('sign a user up through a provider, and report that the user denied access', async () => {
      const { page } = visitor;
      await visitor.open('/handler/sign-in');
      await visitor.click(page.getByRole('button', { name: /GitHub/ }));
      await page.getByRole('button', { name: 'Deny' }).click();
      await visitor.sees('OAuth provider access denied');
      await visitor.open('/handler/sign-in');
      await visitor.click(page.getByRole('button', { name: /Google/ }));
      await page.getByRole('heading', { name: /^Simulator for/ }).waitFor();
      await page.getByLabel(/^Email/).fill(visitor.email);
      await page.getByLabel(/^Name/).fill('Ann');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await visitor.seesOwnEmail();
    });

    test('create no user for a visitor who only looks', async () => {
      await visitor.open('/');
      await visitor.page.getByRole('link', { name: 'Sign in', exact: true }).click();
      await visitor.sees('Sign in to your account');
      await visitor.open('/');
      await visitor.page.getByText('You are signed out.').waitFor();
      const { body } = await world.send('GET', '/users?include_anonymous=true', { ...world.project, access: 'server' });
      expect(body.items.filter((user: { is_anonymous: boolean }) => user.is_anonymous)).toEqual([]);
    });

    const startLogin = async () => {
      const { projectId, keys } = world.project;
      const send = (path: string, body: object) => world.send('POST', path, { projectId, keys, body });
      const { body: login } = await send('/auth/cli', {});
      await visitor.open(`/handler/cli-auth-confirm?login_code=${login.login_code}`);
      return { poll: async () => (await send('/auth/cli/poll', { polling_code: login.polling_code })).body };
    };

    test('approve a login of the command line', async () => {
      await visitor.signUp();
      const { poll } = await startLogin();
      await visitor.press('Authorize');
      await visitor.sees('CLI Authorization Successful');
      expect(await poll()).toMatchObject({ status: 'success' });
    });

    test('approve a login of the command line after signing in', async () => {
      await visitor.signUp();
      await visitor.signOut();
      const { poll } = await startLogin();
      await visitor.press('Authorize');
      await visitor.signInWithPassword();
      await visitor.sees('CLI Authorization Successful');
      expect(await poll()).toMatchObject({ status: 'success' });
    });

    test.each([
      ['email-verification', 'Invalid Verification Link'],
      ['password-reset', 'Invalid Password Reset Link'],
      ['magic-link-callback', 'Invalid Magic Link'],
      ['team-invitation', 'Invalid Team Invitation Link'],
      ['cli-auth-confirm', 'Invalid CLI Authorization Link'],
      ['error', 'An unknown error occurred'],
      ['mfa', 'Multi-Factor Authentication'],
    ])('show the page %s without parameters', async (path, text) => {
      await visitor.open(`/handler/${path}`);
      await visitor.sees(text);
    });
  });
}

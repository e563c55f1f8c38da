import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { totpOf } from '../../testing/totp.ts';
import { addVirtualAuthenticator } from '../../testing/virtual-authenticator.ts';
import { asksWithoutSession } from './faults.ts';
import { watchTotpSecret } from './totp-secret.ts';
import { createVisitor, password, type Visitor } from './visitor.ts';
import type { World } from './world.ts';

const isGone = { state: 'detached' } as const;
/** A PNG image of one pixel. */
const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The account settings of the published library, tab by tab. */
export function testAccountPages(worldOf: () => World): void {
  describe('the account settings', () => {
    let world: World;
    let visitor: Visitor;
    /** Waits for all requests: the library shows an alert if one of them outlives the session or the membership. */
    const settle = () => visitor.page.waitForLoadState('networkidle');
    const openTab = async (tab: string) => {
      await visitor.open(`/handler/account-settings#${tab}`);
      await settle();
    };
    /** The library asks for the home page, and the account settings for the sign-in page: either comes first. */
    const seesThatSessionEnded = () =>
      visitor.page
        .getByText(/^(You are signed out\.|Sign in to your account)/)
        .first()
        .waitFor();
    beforeEach(async () => {
      world = worldOf();
      visitor = await createVisitor(world);
      await visitor.signUp();
    });
    afterEach(async () => {
      await visitor.context.close();
      expect(world.faults.take(asksWithoutSession)).toEqual([]);
    });
    const verifyEmail = async () => {
      await visitor.openMailedLink();
      await visitor.press('Verify');
      await visitor.sees('You email has been verified!');
    };

    /** With Next.js, the library adds a second hash to the URL and does not show the new team. */
    const createTeam = async (name: string) => {
      await openTab('team-creation');
      await visitor.page.locator('#displayName').filter({ visible: true }).fill(name);
      await visitor.press('Create');
      await visitor.page.waitForURL(/#team-[0-9a-f]{8}-/);
      await openTab(`team-${visitor.page.url().split('#team-').at(-1)}`);
    };

    test('change the name and the picture', async () => {
      const { page } = visitor;
      await openTab('profile');
      await visitor.sees('User name');
      await visitor.section('User name').getByRole('button').click();
      await visitor.section('User name').getByRole('textbox').fill('Ann Achebe');
      await visitor.press('Save');
      await visitor.sees('Ann Achebe');
      const chooser = page.waitForEvent('filechooser');
      await visitor.section('Profile image').locator('.cursor-pointer').click();
      await (await chooser).setFiles({ name: 'ann.png', mimeType: 'image/png', buffer: image });
      await visitor.press('Save');
      await visitor.section('Profile image').locator('img[src^="data:image/jpeg"]').waitFor();
    });

    test('add, verify and remove an email', async () => {
      const second = visitor.email.replace('@', '+second@');
      await openTab('auth');
      await visitor.press('Add an email');
      await visitor.page.getByPlaceholder('Enter email').filter({ visible: true }).fill(second);
      await visitor.press('Add');
      const row = visitor.page.getByRole('row').filter({ hasText: second, visible: true });
      await row.waitFor();
      const { link } = await world.inbox.next(second);
      await visitor.page.goto(link);
      await visitor.press('Verify');
      await visitor.sees('You email has been verified!');
      await openTab('auth');
      await row.getByRole('button').click();
      await visitor.page.getByRole('menuitem', { name: 'Remove' }).click();
      await row.waitFor(isGone);
    });

    test('change the password', async () => {
      const chosen = 'a new long passphrase';
      await openTab('auth');
      await visitor.press('Update password');
      await visitor.fill({ 'Old password': password, 'New password': chosen, 'Repeat new password': chosen });
      await visitor.press('Update Password');
      await visitor.page.getByRole('button', { name: 'Update password', exact: true }).first().waitFor();
      await visitor.signOut();
      await visitor.open('/handler/sign-in');
      await visitor.signInWithPassword(chosen);
      await visitor.seesOwnEmail();
    });

    test('register a passkey that signs the user in', async () => {
      await addVirtualAuthenticator(visitor.page);
      await verifyEmail();
      await openTab('auth');
      await visitor.press('Add new passkey');
      await visitor.sees('Passkey registered');
      await visitor.signOut();
      await visitor.open('/handler/sign-in');
      await visitor.press('Sign in with Passkey');
      await visitor.seesOwnEmail();
      await openTab('auth');
      await visitor.press('Delete Passkey');
      await visitor.press('Disable');
      await visitor.sees('Register a passkey');
    });

    test('switch sign-in by email code on and off', async () => {
      await verifyEmail();
      await openTab('auth');
      await visitor.press('Enable OTP');
      await visitor.press('Disable OTP');
      await visitor.press('Disable');
      await visitor.sees('Enable sign-in via magic link or OTP sent to your sign-in emails.');
    });

    test('set up a second factor, which the next sign-in asks for', async () => {
      const readSecret = await watchTotpSecret(visitor.page);
      await openTab('auth');
      await visitor.press('Enable MFA');
      const code = visitor.page.getByPlaceholder('123456').filter({ visible: true });
      await code.fill('000000');
      await visitor.sees('Incorrect code. Please try again.');
      await code.fill(totpOf(await readSecret()));
      await visitor.sees('Multi-factor authentication is currently enabled.');
      const secret = await readSecret();
      await visitor.signOut();
      await visitor.open('/handler/sign-in');
      await visitor.signInWithPassword();
      await visitor.sees('Enter the six-digit code from your authenticator app');
      await visitor.page.getByRole('textbox').fill(totpOf(secret));
      await visitor.seesOwnEmail();
      await openTab('auth');
      await visitor.press('Disable MFA');
      await visitor.sees('Multi-factor authentication is currently disabled.');
      expect(world.faults.take()).toEqual([
        'POST /api/v1/auth/password/sign-in 400 MULTI_FACTOR_AUTHENTICATION_REQUIRED',
      ]);
    });

    test('show notification categories', async () => {
      await openTab('notifications');
      await visitor.sees('Choose which emails you want to receive');
    });

    test('list sessions and end the others', async () => {
      const other = await createVisitor(world, visitor.email);
      await other.open('/handler/sign-in');
      await other.signInWithPassword();
      await other.seesOwnEmail();
      await openTab('sessions');
      await visitor.sees('Current Session');
      await visitor.sees('Other Session');
      await visitor.press('Revoke All Other Sessions');
      await visitor.press('Confirm');
      await visitor.page.getByText('Other Session', { exact: true }).filter({ visible: true }).waitFor(isGone);
      await other.context.close();
    });

    test('create and revoke an API key', async () => {
      await openTab('api-keys');
      await visitor.press('Create API Key');
      await visitor.fill({ Description: 'Backups' });
      await visitor.press('Create');
      await visitor.page.getByText('Here is your API key.').waitFor();
      await visitor.page.getByLabel('I understand that I will not be able to view this key again.').click();
      await visitor.press('Close');
      const row = visitor.page.getByRole('row').filter({ hasText: 'Backups', visible: true });
      await row.getByRole('button').click();
      await visitor.page.getByRole('menuitem', { name: 'Revoke' }).click();
      await visitor.page.getByLabel('I understand this will unlink all the apps using this API key').click();
      await visitor.press('Revoke Key');
      await row.getByText('valid', { exact: true }).waitFor(isGone);
    });

    test('sign out', async () => {
      await openTab('settings');
      await visitor.press('Sign out');
      await seesThatSessionEnded();
    });

    test('delete the account', async () => {
      await openTab('settings');
      await visitor.press('Danger zone');
      await visitor.press('Delete account');
      await visitor.press('Delete Account');
      await seesThatSessionEnded();
    });

    test('create a team, edit it and invite a member who joins', async () => {
      await createTeam('Radio');
      await visitor.sees('Team user name');
      await visitor.section('Team display name').getByRole('button').click();
      await visitor.section('Team display name').getByRole('textbox').fill('Radio Club');
      await visitor.press('Save');
      await visitor.section('Team display name').getByText('Radio Club').waitFor();
      const guest = await createVisitor(world);
      await guest.signUp();
      await world.inbox.next(guest.email);
      await visitor.page.getByPlaceholder('Email').filter({ visible: true }).fill(guest.email);
      await visitor.press('Invite User');
      await visitor.sees(`Invited ${guest.email}`);
      await guest.openMailedLink();
      await guest.press('Join');
      await guest.sees('You have successfully joined Radio Club');
      await guest.open('/');
      await guest.page.getByRole('combobox').click();
      await guest.page.getByRole('option', { name: 'Radio Club' }).click();
      await guest.page.getByRole('combobox').getByText('Radio Club').waitFor();
      await guest.context.close();
      await visitor.page.reload();
      await visitor.sees('Members');
      await settle();
      await visitor.press('Leave team');
      await visitor.press('Leave');
      await visitor.page.getByText('Radio Club').filter({ visible: true }).first().waitFor(isGone);
    });

    test('create an API key of a team', async () => {
      await createTeam('Shipping');
      await visitor.sees('API keys grant programmatic access to your team.');
      await visitor.press('Create API Key');
      await visitor.fill({ Description: 'Deployments' });
      await visitor.press('Create');
      await visitor.page.getByText('Here is your API key.').waitFor();
    });
  });

  describe('the components', () => {
    let world: World;
    let visitor: Visitor;
    beforeEach(async () => {
      world = worldOf();
      visitor = await createVisitor(world);
    });
    afterEach(async () => {
      await visitor.context.close();
      expect(world.faults.take(asksWithoutSession)).toEqual([]);
    });

    test('UserButton opens the account settings and signs out, also in a second tab', async () => {
      const { page, context } = visitor;
      await visitor.signUp();
      const second = await context.newPage();
      await second.goto(page.url());
      await second.getByRole('button').filter({ hasText: visitor.email }).waitFor();
      const openMenu = () => page.getByRole('button').filter({ hasText: visitor.email }).click();
      await openMenu();
      await page.getByRole('menuitem', { name: 'Account settings' }).click();
      await visitor.sees('My Profile');
      await visitor.open('/');
      await openMenu();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByText('You are signed out.').waitFor();
      await second.bringToFront();
      await second.getByRole('button').filter({ hasText: visitor.email }).waitFor(isGone);
    });

    test('UserButton of a visitor leads to the sign-in page', async () => {
      await visitor.open('/');
      await visitor.page.getByRole('button').first().click();
      await visitor.page.getByRole('menuitem', { name: 'Sign in' }).click();
      await visitor.sees('Sign in to your account');
    });
  });
}

import { expect } from 'vitest';
import { signInByPassword } from '../../../infra/testing/browser-product.ts';
import { choosePassword } from '../../../infra/testing/sign-in-page.ts';
import { ann, test } from './fixture.ts';

export function testPasswordReset(): void {
  test('reset the password with the emailed link', async ({ page, inbox, open, waitForTitle, press, field }) => {
    await open('/handler/sign-in');
    await field('Email').fill(ann.email);
    await press('Continue');
    await choosePassword(page);
    await page.getByRole('link', { name: 'Forgot password?' }).click();
    await waitForTitle('Reset your password');
    await field('Email').fill(ann.email);
    await press('Email me a reset link');
    await waitForTitle('Check your email');
    const { link } = await inbox.next(ann.email);
    await page.goto(link);
    await waitForTitle('Set a new password');
    const { email, password: old } = ann;
    ann.password = 'another horse';
    await field('New password').fill(ann.password);
    await field('Repeat password').fill(ann.password);
    await press('Set new password');
    await waitForTitle('Password changed');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signInByPassword(page, { email, password: old });
    await page.getByText('Incorrect email or password').waitFor();
    await field('Password').fill(ann.password);
    await press('Sign in');
    await waitForTitle('Projects');
    await page.goto(link);
    await waitForTitle('This link has already been used');
  });

  test('send a notice of the new password whose link signs out everywhere after confirmation', async ({
    page,
    inbox,
    waitForTitle,
    press,
    field,
    asServer,
    findUser,
  }) => {
    const { subject, link } = await inbox.next(ann.email, { kind: 'notice' });
    expect(subject).toMatch(/^Your password for .+ was changed$/);
    await page.goto(link);
    await waitForTitle('Secure your account?');
    await page.waitForLoadState('networkidle');
    expect(await findUser()).toMatchObject({ has_password: true });
    await press('Sign out everywhere');
    await waitForTitle('Your account is secure');
    const user = await findUser();
    expect(user).toMatchObject({ has_password: false });
    const sessions = await asServer(`/auth/sessions?user_id=${user.id}`);
    expect(await sessions.json()).toMatchObject({ items: [] });
    // Otherwise the browser would log the 401 of the ended session.
    await page.context().clearCookies();
    const reset = await inbox.next(ann.email);
    await page.goto(reset.link);
    await waitForTitle('Set a new password');
    await field('New password').fill(ann.password);
    await field('Repeat password').fill(ann.password);
    await press('Set new password');
    await waitForTitle('Password changed');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signInByPassword(page, ann);
    await waitForTitle('Projects');
  });
}

import { expect } from 'vitest';
import { choosePassword } from '../../../infra/testing/sign-in-page.ts';
import { ann, test } from './fixture.ts';

export function testSignUp(): void {
  test('sign up and open the dashboard', async ({ page, open, waitForTitle, press, field, findUser }) => {
    await open('/');
    await waitForTitle('Sign in');
    await page.getByRole('link', { name: 'Sign up' }).click();
    await waitForTitle('Create an account');
    await field('Email').fill(ann.email);
    await press('Continue');
    await choosePassword(page);
    await field('Password').fill(ann.password);
    await field('Repeat password').fill(ann.password);
    await press('Sign up');
    await waitForTitle('Projects');
    expect(await findUser()).toMatchObject({ primary_email: ann.email, primary_email_verified: false });
  });

  test('verify an email address with the emailed link after confirmation', async ({
    page,
    inbox,
    waitForTitle,
    press,
    findUser,
  }) => {
    const { link } = await inbox.next(ann.email);
    await page.goto(link);
    await waitForTitle('Verify your email address');
    await page.waitForLoadState('networkidle');
    expect(await findUser()).toMatchObject({ primary_email_verified: false });
    await press('Verify email');
    await waitForTitle('Email verified');
    await expect.poll(findUser).toMatchObject({ primary_email_verified: true });
    await page.goto(link);
    await press('Verify email');
    await waitForTitle('Email verified');
    await page.getByRole('link', { name: 'Continue' }).click();
    await waitForTitle('Projects');
  });

  test('sign out from the dashboard', async ({ page, open, waitForTitle, press }) => {
    await press('Sign out');
    await waitForTitle('Sign in');
    await open('/projects');
    await waitForTitle('Sign in');
    expect(new URL(page.url()).search).toBe('?after_auth_return_to=%2Fprojects');
  });
}

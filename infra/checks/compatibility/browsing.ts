import { newEmail, password } from '@gatebook/api/testing/requests';
import type { Page } from 'playwright-core';
import type { World } from './world.ts';

/** Runs something that ends with leaving the page, sometimes before Chromium has returned. */
export async function leave<Given>(page: Page, act: (given: Given) => unknown, given?: Given): Promise<void> {
  await page.evaluate(act as (given: unknown) => unknown, given).catch((error: Error) => {
    if (!/navigation|context was destroyed|closed/.test(error.message)) throw error;
  });
}

export const waitForText = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

export async function openPage(world: World, path = '/'): Promise<Page> {
  const page = await world.newPage();
  await page.goto(`${await world.appUrl()}${path}`);
  await waitForText(page, 'signed out');
  return page;
}

/** Closes the pages that `call` opens, because open pages keep the browser busy. */
export async function closingPages<Result>(world: World, call: (world: World) => Promise<Result>): Promise<Result> {
  const pages: Page[] = [];
  const newPage = async () => {
    const page = await world.newPage();
    pages.push(page);
    return page;
  };
  try {
    return await call({ ...world, newPage });
  } finally {
    await Promise.all(pages.map((page) => page.context().close()));
  }
}

/** Opens a page where a new user is signed in with a password. */
export async function openSignedUp(world: World): Promise<{ page: Page; email: string }> {
  const page = await openPage(world);
  const email = newEmail();
  await page.evaluate(
    async (given) => {
      const result = await window.app.signUpWithCredential({ ...given, noRedirect: true });
      if (result.status !== 'ok') throw result.error;
    },
    { email, password, verificationCallbackUrl: new URL('/handler/email-verification', page.url()).href },
  );
  await page.reload();
  await waitForText(page, `signed in as ${email}`);
  return { page, email };
}

export async function signInAtSimulator(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Name').fill('Ann');
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** The ID of the user who is signed in on a page. */
export const userIdOn = (page: Page): Promise<string | undefined> =>
  page.evaluate(async () => (await window.app.getUser())?.id);

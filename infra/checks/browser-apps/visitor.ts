import { pollDeadlineMs } from '@gatebook/runtime/testing/deadlines';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { vi } from 'vitest';
import { openWatchedContext } from './watched-browser.ts';
import type { World } from './world.ts';

export type Visitor = {
  context: BrowserContext;
  page: Page;
  email: string;
  open(path: string): Promise<unknown>;
  /** Clicks as soon as the page reacts to it, which must be a page of React. */
  click(control: Locator): Promise<void>;
  /** Clicks the button with this name. */
  press(name: string): Promise<void>;
  /** Waits until the page shows the text. */
  sees(text: string): Promise<void>;
  /** The part of the account settings with this title. */
  section(title: string): Locator;
  fill(fields: Readonly<Record<string, string>>): Promise<void>;
  signUp(): Promise<void>;
  signInWithPassword(password?: string): Promise<void>;
  seesOwnEmail(): Promise<void>;
  /** Opens the link of the next email to this visitor. */
  openMailedLink(): Promise<void>;
  signOut(): Promise<void>;
};

export const password = 'correct horse battery';
let count = 0;

function newEmail(): string {
  count += 1;
  return `visitor-${count}@mail.example`;
}

/** A person in a separate window: a new person if no address is given. */
export async function createVisitor(world: World, email = newEmail()): Promise<Visitor> {
  const context = await openWatchedContext(world.browser, world.faults);
  const page = await context.newPage();
  const open = (path: string) => page.goto(new URL(path, world.running?.url).href);
  // The account settings contain the layouts of wide and narrow windows, one of them hidden.
  const visible = { visible: true };
  const click = async (control: Locator) => {
    const isHydrated = () =>
      control.evaluate((element) => Object.keys(element).some((key) => key.startsWith('__reactProps')));
    // Before, a click on the button of a form that the server rendered makes the browser send the form.
    await vi.waitUntil(isHydrated, { timeout: pollDeadlineMs });
    await control.click();
  };
  const press = (name: string) => click(page.getByRole('button', { name, exact: true }).filter(visible));
  const sees = (text: string) => page.getByText(text, { exact: true }).filter(visible).first().waitFor();
  const fill = async (fields: Readonly<Record<string, string>>) => {
    for (const [label, value] of Object.entries(fields)) {
      const labelled = page.getByLabel(label, { exact: true }).filter(visible);
      await labelled.and(page.locator('input')).fill(value);
    }
  };
  const seesOwnEmail = () => page.getByText(`Signed in as ${email}`).waitFor();
  const openPasswordTab = () => click(page.getByRole('tab', { name: 'Email & Password' }));
  return {
    context,
    page,
    email,
    open,
    click,
    press,
    sees,
    section: (title) => page.getByText(title, { exact: true }).filter(visible).locator('xpath=../..'),
    fill,
    seesOwnEmail,
    signUp: async () => {
      await open('/handler/sign-up');
      await openPasswordTab();
      await fill({ Email: email, Password: password, 'Repeat Password': password });
      await press('Sign Up');
      await seesOwnEmail();
    },
    signInWithPassword: async (given = password) => {
      await openPasswordTab();
      await fill({ Email: email, Password: given });
      await press('Sign In');
    },
    openMailedLink: async () => {
      const { link } = await world.inbox.next(email);
      await page.goto(link);
    },
    signOut: async () => {
      await open('/handler/sign-out');
      await page.getByText('You are signed out.').waitFor();
    },
  };
}

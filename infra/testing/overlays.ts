import type { Locator, Page } from 'playwright-core';
import { walkTo } from './dashboard-walk.ts';

/** These open nothing, or change the list that is shown. */
const skipped = /^(Copy|Move|Remove:|Previous|Next|Discard|Live|Load older|Show older|Try again|\d+ events?,)/;
/** How long an overlay may take to open. A button that opens nothing takes as long. */
const OPENS_WITHIN_MS = 300;

/**
 * Opens every dialog, menu, list of choices and fold of the page that is shown, also the dialogs that menus lead to,
 * and calls `check` with the names of the buttons that led there. Of buttons that look alike and start with the same
 * word, as in the rows of a list, it presses one.
 */
export async function openOverlays(page: Page, check: (trail: string) => Promise<void>): Promise<void> {
  const href = await hrefOf(page);
  const open = async (button: Locator): Promise<boolean> => {
    await restore(page, href);
    if ((await button.count()) === 0 || !(await button.isEnabled())) {
      // An action that waits for its answer blocks others, until the page is left.
      await walkTo(page, '/projects');
      await walkTo(page, href);
      if ((await button.count()) === 0 || !(await button.isEnabled())) return false;
    }
    await button.click();
    return isOpen(page, button);
  };
  for (const { name, role } of await findButtons(page)) {
    const button = page.locator('main').getByRole(role, { name, exact: true }).first();
    if (!(await open(button))) {
      await discardChanges(page);
      continue;
    }
    await check(name);
    const items = await page.getByRole('menuitem').allInnerTexts();
    for (const item of items) {
      if ((await page.getByRole('menuitem').count()) === 0 && !(await open(button))) break;
      await page.getByRole('menuitem', { name: item }).first().click();
      if (await isOpen(page)) await check(`${name} > ${item}`);
      await restore(page, href);
    }
    await restore(page, href);
    if (await isExpanded(button)) await button.click();
    await discardChanges(page);
  }
}

const hrefOf = (page: Page) => page.evaluate(() => location.pathname + location.search);
const isExpanded = async (button: Locator) =>
  (await button.count()) > 0 && (await button.getAttribute('aria-expanded')) === 'true';

async function findButtons(page: Page) {
  const found = await page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('main :is(button, [role="combobox"][aria-haspopup])')]
      .filter((button) => button.checkVisibility() && !button.matches(':disabled, [data-disabled]'))
      .map((button) => ({
        name: (button.ariaLabel ?? button.innerText).replace(/\s+/g, ' ').trim(),
        role: button.getAttribute('role') ?? 'button',
        // Other elements that are pressed, as the parts of a row, do the same whatever their text.
        look: button.className,
        isNamed: button.matches('.mantine-Button-root, .mantine-ActionIcon-root, [role="combobox"]'),
      })),
  );
  const seen = new Set<string>();
  return found.flatMap(({ name, role, look, isNamed }) => {
    const kind = isNamed ? `${look} ${name.split(' ')[0]}` : look;
    if (name === '' || skipped.test(name) || seen.has(kind)) return [];
    seen.add(kind);
    return role === 'button' || role === 'combobox' ? [{ name, role } as const] : [];
  });
}

/** Whether something is open over the page, or below the button. */
async function isOpen(page: Page, button?: Locator): Promise<boolean> {
  const over = page.locator(':is([role="dialog"], [role="menu"], [role="listbox"]):visible').first();
  const opened = await over.waitFor({ timeout: OPENS_WITHIN_MS }).then(
    () => true,
    () => false,
  );
  return opened || (button !== undefined && (await isExpanded(button)));
}

/** Unsaved changes of a form would ask before the page is left. */
async function discardChanges(page: Page): Promise<void> {
  const discard = page.getByRole('region', { name: 'Unsaved changes' }).getByRole('button', { name: 'Discard' });
  if ((await discard.count()) > 0) await discard.click();
}

/** Closes what is open, and returns to the page. */
async function restore(page: Page, href: string): Promise<void> {
  const over = page.locator(':is([role="dialog"], [role="menu"], [role="listbox"]):visible');
  for (let tries = 0; (await over.count()) > 0; tries += 1) {
    if (tries === 5) throw new Error(`${await over.first().innerText()} cannot be closed`);
    await page.keyboard.press('Escape');
    await over
      .first()
      .waitFor({ state: 'hidden', timeout: OPENS_WITHIN_MS })
      .catch(() => {});
  }
  if ((await hrefOf(page)) === href) return;
  await walkTo(page, href);
}

import type { Browser, Page } from 'playwright-core';

/** The browsers that tests launched and have not closed yet. */
export const openBrowsers = new Set<Browser>();

const describePage = async (page: Page): Promise<string> => {
  const text = await page
    .locator('body')
    .innerText({ timeout: 5_000 })
    .catch((error: unknown) => String(error));
  return `${page.url()}\n${text.replaceAll(/^/gm, '  ')}`;
};

/** What a person would read on each open page. */
export async function describeOpenPages(): Promise<string> {
  const pages = [...openBrowsers].flatMap((browser) => browser.contexts()).flatMap((context) => context.pages());
  return (await Promise.all(pages.map(describePage))).join('\n\n');
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const source = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/** What axe finds on a page outside of frames, as `rule: markup`. */
export async function findAxeFaults(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(document, { iframes: false }),
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`));
}

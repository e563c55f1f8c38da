import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const source = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8');

/** Rules whose result depends on colors, so on the color scheme. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** What axe finds on a page outside of frames, as `rule: markup`. `only`: rules whose result depends on colors. */
export async function findAxeFaults(page: Page, { only }: { only?: 'colors' } = {}): Promise<string[]> {
  // Compiling axe takes longer than running it, so a document gets it once.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(source);
  const { violations } = await page.evaluate(
    (rules) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run(document, {
        iframes: false,
        resultTypes: ['violations'],
        ...(rules && { runOnly: rules }),
      }),
    only && colorRules,
  );
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`));
}

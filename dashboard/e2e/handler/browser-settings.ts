import { expect } from 'vitest';
import { ann, test } from './fixture.ts';

export function testBrowserSettings(): void {
  test('follow the color scheme chosen in the dashboard', async ({ watch, open, waitForTitle }) => {
    const fresh = await watch.open({ colorScheme: 'light' });
    await open('/handler/error', fresh);
    const ground = () => fresh.locator('.gbh').evaluate((element) => getComputedStyle(element).backgroundColor);
    const light = await ground();
    await fresh.evaluate(() => localStorage.setItem('mantine-color-scheme-value', 'dark'));
    await fresh.reload();
    await waitForTitle('Something went wrong', fresh);
    expect([light, await ground()]).toEqual(['rgb(248, 247, 243)', 'rgb(18, 21, 20)']);
  });

  test.for(['light', 'dark'] as const)(
    'can be read with any accent color, in %s mode',
    async (colorScheme, { watch, open, waitForTitle }) => {
      const fresh = await watch.open({ colorScheme });
      await open('/handler/error', fresh);
      await waitForTitle('Something went wrong', fresh);
      expect(await fresh.evaluate(contrastsBelow, 4.5)).toEqual([]);
    },
  );

  test('are in the first language of the browser that they have texts in', async ({ browser, watch, open }) => {
    const german = await watch.open({ colorScheme: 'light', context: await browser.newContext({ locale: 'de-AT' }) });
    await open('/handler/sign-in', german);
    await german.getByRole('button', { name: 'Weiter', exact: true }).waitFor();
    expect(await german.locator('html').getAttribute('lang')).toBe('de-AT');
    await german.evaluate(() => localStorage.setItem('gatebook-language', 'en'));
    await german.reload();
    await german.getByRole('button', { name: 'Continue', exact: true }).waitFor();
    expect(await german.locator('html').getAttribute('lang')).toBe('en');
    await german.context().close();
  });

  test('can be used with the keyboard only', async ({ browser, watch, open, waitForTitle }) => {
    const fresh = await watch.open({ colorScheme: 'light', context: await browser.newContext() });
    await open('/handler/sign-in', fresh);
    await expect.poll(() => fresh.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
    await fresh.keyboard.type(ann.email);
    await fresh.keyboard.press('Enter');
    await fresh.getByRole('button', { name: 'Email me a code' }).waitFor();
    await fresh.keyboard.press('Tab');
    await fresh.keyboard.press('Enter');
    await expect.poll(() => fresh.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('password');
    await fresh.keyboard.type(ann.password);
    await fresh.keyboard.press('Enter');
    await waitForTitle('Projects', fresh);
    await fresh.context().close();
  });
}

/** Accent colors with less contrast, of texts on them or of links on the grounds of the pages. Runs in the page. */
function contrastsBelow(limit: number): string[] {
  const root = document.querySelector<HTMLElement>('.gbh');
  const pixel = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  if (!root || !pixel) throw new Error('the page is not shown');
  const probe = root.appendChild(document.createElement('span'));
  const luminance = (color: string): number => {
    probe.style.color = color;
    pixel.fillStyle = getComputedStyle(probe).color;
    pixel.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = [...pixel.getImageData(0, 0, 1, 1).data].map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one: string, other: string): number => {
    const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (lighter + 0.05) / (darker + 0.05);
  };
  const found: string[] = [];
  const channel = ['00', '33', '66', '99', 'cc', 'ff'];
  for (const color of channel.flatMap((red) =>
    channel.flatMap((green) => channel.map((blue) => `#${red}${green}${blue}`)),
  )) {
    root.style.setProperty('--gbh-brand', color);
    const pairs = [
      ['--gbh-on-accent', '--gbh-accent'],
      ...['--gbh-ground', '--gbh-surface', '--gbh-sunken'].map((ground) => ['--gbh-link', ground]),
    ];
    for (const [text, ground] of pairs) {
      const reached = contrast(`var(${text})`, `var(${ground})`);
      if (reached < limit) found.push(`${color} ${text} on ${ground}: ${reached.toFixed(2)}`);
    }
  }
  return found;
}

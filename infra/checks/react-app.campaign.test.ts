import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noChromium } from '../testing/chromium.ts';
import { testAccountPages } from './browser-apps/account-tests.ts';
import { installDeadlineMs } from './browser-apps/installed-app.ts';
import { testSignInPages } from './browser-apps/sign-in-tests.ts';
import { createVisitor } from './browser-apps/visitor.ts';
import { createWorld, type World } from './browser-apps/world.ts';

/*
 * The example app with the pages of the newest published React library: installed from its lockfile, built, and used in
 * Chromium. No response of 400 or more and no page error may occur except those that a test names.
 */

describe.skipIf(noChromium)(`The React app with the library's pages${noChromium ? ` (${noChromium})` : ''}`, () => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld('react-vite');
    await world.app.build({
      VITE_GATEBOOK_URL: world.product.url,
      VITE_GATEBOOK_PROJECT_ID: world.project.projectId,
    });
    world.running = await world.app.start('vite', ['preview', '--strictPort', '--host', 'localhost']);
  }, installDeadlineMs);
  afterAll(() => world?.close());

  testSignInPages(() => world);
  testAccountPages(() => world);

  test('shows that a handler page does not exist', async () => {
    const visitor = await createVisitor(world);
    await visitor.open('/handler/no-such-page');
    await visitor.sees('Page does not exist');
    await visitor.context.close();
    expect(world.faults.take()).toEqual([]);
  });

  test('returns to the page that requires a signed-in user', async () => {
    const visitor = await createVisitor(world);
    await visitor.signUp();
    await visitor.signOut();
    await visitor.open('/protected');
    await visitor.signInWithPassword();
    await visitor.page.getByText('Only signed-in users see this page.').waitFor();
    expect(new URL(visitor.page.url()).pathname).toBe('/protected');
    await visitor.context.close();
    expect(world.faults.take()).toEqual([]);
  });
});

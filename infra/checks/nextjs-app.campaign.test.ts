import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { noChromium } from '../testing/chromium.ts';
import { installDeadlineMs } from './browser-apps/installed-app.ts';
import { testSignInPages } from './browser-apps/sign-in-tests.ts';
import { createVisitor, type Visitor } from './browser-apps/visitor.ts';
import { startWatchedServer, type WatchedServer } from './browser-apps/watched-server.ts';
import { createWorld, type World } from './browser-apps/world.ts';

/*
 * The example app of Next.js with the newest published library: installed from its lockfile, built, started, and used
 * in Chromium. No response of 400 or more, to the browser or to the app's server, and no page error may occur except
 * those that a test names.
 */

describe.skipIf(noChromium)(`The Next.js app with the library's pages${noChromium ? ` (${noChromium})` : ''}`, () => {
  let world: World;
  let gatebookOfServer: WatchedServer;
  /** Signs in first, so that the access token expires while the other tests run. */
  let early: Visitor;
  let earlyTokenExpiresAt: number;
  beforeAll(async () => {
    world = await createWorld('nextjs');
    gatebookOfServer = await startWatchedServer(world.product.url, world.faults);
    const variables = {
      NEXT_PUBLIC_STACK_API_URL: world.product.url,
      NEXT_PUBLIC_SERVER_STACK_API_URL: gatebookOfServer.url,
      NEXT_PUBLIC_STACK_PROJECT_ID: world.project.projectId,
      STACK_SECRET_SERVER_KEY: world.project.keys.server,
    };
    await world.app.build(variables);
    world.running = await world.app.start('next', ['start', '--hostname', 'localhost'], variables);
    early = await createVisitor(world);
    await early.signUp();
    earlyTokenExpiresAt = Date.now() + world.accessTokenMs;
  }, installDeadlineMs);
  afterAll(async () => {
    await world?.close();
    gatebookOfServer?.close();
  });

  testSignInPages(() => world);

  describe('the server of the app', () => {
    let visitor: Visitor;
    beforeEach(async () => {
      visitor = await createVisitor(world);
    });
    afterEach(async () => {
      await visitor.context.close();
      expect(world.faults.take()).toEqual([]);
    });

    test('sends visitors of a protected page to the sign-in page', async () => {
      await visitor.open('/protected');
      await visitor.sees('Sign in to your account');
      await visitor.signUp();
      await visitor.open('/protected');
      await visitor.page.getByText('Only signed-in users see this page.').waitFor();
    });

    test('changes the user in a server action and answers in a route handler', async () => {
      await visitor.signUp();
      await visitor.fill({ Name: 'Ann Achebe' });
      await visitor.press('Save');
      await visitor.sees('Hello, Ann Achebe!');
      await visitor.open('/api/me');
      expect(JSON.parse(await visitor.page.innerText('body'))).toMatchObject({
        email: visitor.email,
        name: 'Ann Achebe',
      });
    });

    test('answers visitors in a route handler', async () => {
      await visitor.open('/api/me');
      expect(world.faults.take()).toEqual(['GET /api/me 401']);
    });

    test('refreshes an expired access token', async () => {
      await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(earlyTokenExpiresAt));
      await early.open('/api/me');
      expect(JSON.parse(await early.page.innerText('body'))).toMatchObject({ email: early.email });
      await early.open('/');
      await early.seesOwnEmail();
      await early.fill({ Name: 'Early' });
      await early.press('Save');
      await early.sees('Hello, Early!');
      await early.context.close();
    });
  });
});

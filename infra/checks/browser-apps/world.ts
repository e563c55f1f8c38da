import { rm } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { createApiClient, type Send } from '../../testing/api-client.ts';
import { launchChromium } from '../../testing/chromium.ts';
import { createMailReader } from '../../testing/mails.ts';
import { createOwnedProject, type OwnedProject } from '../../testing/owned-project.ts';
import { makeDataFolder } from '../../testing/passable-folder.ts';
import { startOnCopy } from '../../testing/prepared-data.ts';
import { internalKeys, type Product } from '../../testing/product.ts';
import { createFaults, type Faults } from './faults.ts';
import { type InstalledApp, installExample, type RunningApp } from './installed-app.ts';

/** Gatebook, a project with all features on, an app installed from `examples/`, and a browser. */
export type World = {
  product: Product;
  project: OwnedProject;
  send: Send;
  inbox: ReturnType<typeof createMailReader>;
  app: InstalledApp;
  /** Set by the test after it has started the app. */
  running: RunningApp | null;
  browser: Browser;
  faults: Faults;
  accessTokenMs: number;
  close(): Promise<void>;
};

const allFeatures = {
  magic_link_enabled: true,
  passkey_enabled: true,
  client_team_creation_enabled: true,
  client_user_deletion_enabled: true,
  allow_user_api_keys: true,
  allow_team_api_keys: true,
  oauth_providers: ['google', 'github'].map((id) => ({ id, type: 'shared' })),
};
/** The shortest lifetime, so that tokens expire during the tests. */
const accessTokenSeconds = 61;

export async function createWorld(example: string): Promise<World> {
  const folder = await makeDataFolder('gatebook-app-');
  const settings = { GATEBOOK_ACCESS_TOKEN_SECONDS: String(accessTokenSeconds) };
  const app = await installExample(example);
  const [product, browser] = await Promise.all([startOnCopy(folder, settings), launchChromium()]);
  const send = createApiClient(product.url, internalKeys);
  const project = await createOwnedProject(send, allFeatures);
  const body = { anonymous_sign_up_enabled: true };
  await send('PATCH', '/internal/projects/current/settings', { ...project, access: 'admin', body });
  const world: World = {
    product,
    project,
    send,
    inbox: createMailReader(product.url),
    app,
    running: null,
    browser,
    faults: createFaults(),
    accessTokenMs: accessTokenSeconds * 1000,
    close: async () => {
      await browser.close();
      await world.running?.stop();
      await product.stop();
      await Promise.all([app.remove(), rm(folder, { recursive: true, force: true })]);
    },
  };
  return world;
}

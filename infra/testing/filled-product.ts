import type { BrowserContext } from 'playwright-core';
import { vi } from 'vitest';
import { pageRoutes, pathOf } from '../../dashboard/e2e/route-table.ts';
import { fill, owner } from '../screenshots/fill.ts';
import { type BrowserProduct, signInToDashboard, startBrowserProduct } from './browser-product.ts';

/** An installation with some data, for opening its pages in new browsers. */
export type FilledProduct = BrowserProduct & {
  signedIn: Awaited<ReturnType<BrowserContext['storageState']>>;
  /** A path that has data. */
  pathOfRoute: (route: string) => string;
};

export const signedInRoutes = pageRoutes.filter((route) => !['/setup', '/project-invitation'].includes(route));

/** Starts a new installation and fills it. `name`: part of its folder's name. */
export async function startFilledProduct(name: string): Promise<FilledProduct> {
  const started = await startBrowserProduct(name);
  const { owner: client, ...ids } = await fill(started.product, async () => {}, 1);
  const deliveryId = await vi.waitFor(async () => {
    const [delivery] = (await client.admin(ids.projectId).webhooks.listDeliveries(ids.endpointId)).items;
    if (!delivery) throw new Error('nothing was delivered yet');
    return delivery.id;
  });
  const template = { emailType: 'magic_link', objectType: 'email_template', objectId: 'magic_link' };
  const params = { ...ids, ...template, deliveryId, requestId: '0000000000000000' };
  await signInToDashboard(started.page, started.product, owner);
  const signedIn = await started.page.context().storageState();
  return { ...started, signedIn, pathOfRoute: (route) => pathOf(route, params) };
}

import type { AdminClient } from '@gatebook/js/owner-client';
import type { BrowserContext, Page } from 'playwright-core';
import { vi } from 'vitest';
import { dashboardPages } from '../../../infra/screenshots/dashboard-pages.ts';
import { type Filled, fill, owner } from '../../../infra/screenshots/fill.ts';
import { answerProjects } from '../../../infra/testing/answered-projects.ts';
import { type BrowserProduct, signInToDashboard } from '../../../infra/testing/browser-product.ts';
import { untilLoaded } from '../../../infra/testing/dashboard-walk.ts';
import type { RouteParams } from '../route-table.ts';
import { sizes } from './looks.ts';

const idOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
export const nowhere = idOf(9);
/** Copies of the project in the states of which the server is the cause. */
export const copies = { 'read-only': idOf(1), loading: idOf(2), error: idOf(3), offline: idOf(4) } as const;
export type CopyState = keyof typeof copies;

/** A dashboard with data, and an owner who is signed in to it. */
export type FilledDashboard = {
  context: BrowserContext;
  params: RouteParams;
  emptyProjectId: string;
  /** Paths of pages with a search, of the past, and with long names. */
  variants: readonly string[];
  openDashboard: (of?: BrowserContext) => Promise<Page>;
  /** Two pages, one for each core, take the next item until there is none. */
  openEach: <Item>(
    items: readonly Item[],
    act: (page: Page, item: Item) => Promise<void>,
    of?: BrowserContext,
  ) => Promise<void>;
};

export async function fillDashboard({ product, browser, watch }: BrowserProduct): Promise<FilledDashboard> {
  const filled = await fill(product, async () => {}, 1);
  const { owner: client, ...ids } = filled;
  const admin = client.admin(ids.projectId);
  const withSearch = Object.values(dashboardPages(ids)).filter((path) => /[?]/.test(path));
  const params = { ...ids, ...(await otherParams(admin, ids.endpointId)) };
  const variants = [...withSearch, ...(await pastPages(admin, filled)), ...(await createLongNames(admin))];
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: sizes.wide, height: 900 } });
  await answerCopies(context, ids.projectId);
  const openPage = (of: BrowserContext) => watch.open({ colorScheme: 'light', context: of });
  const first = await openPage(context);
  await signInToDashboard(first, product, owner);
  await first.close();
  const openDashboard = async (of = context): Promise<Page> => {
    const page = await openPage(of);
    await page.goto(`${product.url}/projects`);
    await untilLoaded(page);
    return page;
  };
  return {
    ...{ context, params, emptyProjectId: ids.emptyProjectId, variants, openDashboard },
    openEach: async (items, act, of) => {
      const rest = [...items];
      const work = async () => {
        const page = await openDashboard(of);
        for (let item = rest.shift(); item !== undefined; item = rest.shift()) await act(page, item);
        await page.close();
      };
      await Promise.all([work(), work()]);
    },
  };
}

/** Parameters of routes besides the IDs of what was created. */
async function otherParams({ webhooks }: AdminClient, endpointId: string): Promise<RouteParams> {
  const deliveryId = await vi.waitFor(async () => {
    const [delivery] = (await webhooks.listDeliveries(endpointId)).items;
    if (!delivery) throw new Error('nothing was delivered yet');
    return delivery.id;
  });
  return {
    deliveryId,
    requestId: '0000000000000000',
    emailType: 'magic_link',
    objectType: 'email_template',
    objectId: 'magic_link',
  };
}

async function answerCopies(context: BrowserContext, projectId: string): Promise<void> {
  const copyOf = (kind: 'real' | 'readOnly' | 'silent' | 'broken' | 'unreachable') => ({ realId: projectId, kind });
  await answerProjects(context, {
    [projectId]: copyOf('real'),
    [copies['read-only']]: copyOf('readOnly'),
    [copies.loading]: copyOf('silent'),
    [copies.error]: copyOf('broken'),
    [copies.offline]: copyOf('unreachable'),
  });
}

/** Pages of the past, and the one of an event. */
async function pastPages({ audit, projectId }: AdminClient, { userId, teamId }: Filled): Promise<readonly string[]> {
  const { items } = await audit.list({ limit: 1 });
  const eventId = items[0]?.id;
  const past = [`users`, `users/${userId}`, `teams/${teamId}`, 'settings/general'].map(
    (path) => `/projects/${projectId}/${path}?as_of=${eventId}`,
  );
  return [...past, `/projects/${projectId}/audit-log?event=${eventId}`];
}

/** Creates a user and a team whose names have no place to wrap. @returns the paths of their pages */
async function createLongNames({ users, teams, projectId }: AdminClient): Promise<readonly string[]> {
  const displayName = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(3);
  const primaryEmail = `${'a'.repeat(60)}@${'b'.repeat(50)}.${'c'.repeat(50)}.example`;
  const { id: userId } = await users.create({ displayName, primaryEmail });
  const { id: teamId } = await teams.create({ displayName });
  return [`/projects/${projectId}/users/${userId}`, `/projects/${projectId}/teams/${teamId}`];
}

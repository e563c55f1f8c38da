import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@gatebook/runtime/free-port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { makeDataFolder } from '../testing/passable-folder.ts';
import { startOnCopy } from '../testing/prepared-data.ts';
import { adminOf, internalKeys, type Product } from '../testing/product.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFile(join(root, path), 'utf8');

let folder: string;
let product: Product;
let operators: string;
beforeAll(async () => {
  folder = await makeDataFolder('gatebook-metrics-');
  const port = await findFreePort();
  operators = `http://localhost:${port}`;
  product = await startOnCopy(folder, { GATEBOOK_HEALTH_PORT: String(port) });
});
afterAll(async () => {
  await product?.stop();
  await rm(folder, { recursive: true, force: true });
});

const admin = adminOf(() => product);
const scrape = async () => (await fetch(`${operators}/metrics`)).text();

/** Values of a page by series, such as `gatebook_jobs{queue="emails",state="waiting"}`. */
function seriesOf(page: string): ReadonlyMap<string, number> {
  const lines = page.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

/** Requests whose paths, IDs, methods and addresses differ with each number. */
async function sendVariedRequests(from: number, to: number): Promise<void> {
  const ofClient = { 'x-stack-access-type': 'client', 'x-stack-publishable-client-key': internalKeys.client };
  for (let number = from; number < to; number += 1) {
    const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const send = (path: string, init: RequestInit = {}) => fetch(`${product.url}${path}`, init);
    await send(`/api/v1/unknown-${number}`);
    await send(`/unknown-${number}`);
    await send(`/api/v1/users/me?unknown=${number}`, { headers: { ...ofClient, 'x-stack-project-id': id } });
    await send(`/api/v1/users/${id}`, { method: 'PROPFIND' });
    await send(`/api/v1/teams/${id}`, { method: 'DELETE' });
    await admin('GET', `/users?query=person-${number}`);
    await admin('GET', `/users/${id}`).catch(() => undefined);
  }
}

test('a started server counts requests, appends and jobs', async () => {
  const before = seriesOf(await scrape());
  const created = 'gatebook_http_request_duration_seconds_count{method="POST",route="/api/v1/users",status="2xx"}';
  await admin('POST', '/users', { primary_email: 'person@example.com' });
  await admin('POST', '/users', { primary_email: 'other@example.com' });
  await expect.poll(async () => seriesOf(await scrape()).get(created)).toBe(2);
  const after = seriesOf(await scrape());
  const growth = (series: string) => (after.get(series) ?? 0) - (before.get(series) ?? 0);
  expect(growth('gatebook_append_duration_seconds_count{outcome="committed"}')).toBeGreaterThanOrEqual(2);
  expect(growth('gatebook_append_batch_size_count')).toBeGreaterThanOrEqual(2);
  expect(growth('gatebook_events_appended_total')).toBeGreaterThanOrEqual(2);
  expect(after.get('gatebook_jobs{queue="emails",state="waiting"}')).toBe(0);
});

test('lookups of a cached project are counted as hits', async () => {
  const hits = async () => seriesOf(await scrape()).get('gatebook_project_cache_lookups_total{result="hit"}') ?? 0;
  const before = await hits();
  await expect
    .poll(async () => {
      await admin('GET', '/users');
      return hits();
    })
    .toBeGreaterThan(before);
});

test('a ready server has subscriptions at the head, both leaders and no problem', async () => {
  await expect.poll(async () => seriesOf(await scrape()).get('gatebook_ready')).toBe(1);
  await expect
    .poll(async () =>
      seriesOf(await scrape()).get('gatebook_subscription_lag_events{subscription="main",kind="projection"}'),
    )
    .toBe(0);
  const page = seriesOf(await scrape());
  for (const labels of ['subscription="main",kind="projection"', 'subscription="emails",kind="reactor"']) {
    expect(page.get(`gatebook_subscription_stopped{${labels}}`), labels).toBe(0);
    expect(page.get(`gatebook_subscription_lag_seconds{${labels}}`), labels).toBeGreaterThanOrEqual(0);
  }
  for (const role of ['projector', 'worker']) expect(page.get(`gatebook_leader_present{role="${role}"}`)).toBe(1);
  expect([...page.keys()].filter((series) => series.startsWith('gatebook_problems'))).toEqual([]);
});

test('a request that exceeds a rate limit is counted', async () => {
  const limited = 'gatebook_http_rejections_total{limiter="rate_limit"}';
  const before = seriesOf(await scrape()).get(limited) ?? 0;
  const signIn = () =>
    fetch(`${product.url}/api/v1/auth/password/sign-in`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-stack-access-type': 'client',
        'x-stack-project-id': 'internal',
        'x-stack-publishable-client-key': internalKeys.client,
      },
      body: JSON.stringify({ email: 'absent@example.com', password: 'a wrong password' }),
    }).then(({ status }) => status);
  while ((await signIn()) !== 429);
  await expect.poll(async () => seriesOf(await scrape()).get(limited)).toBe(before + 1);
});

test('the number of series does not grow with the number of paths, IDs, projects and methods', async () => {
  const ofGatebook = async () => [...seriesOf(await scrape()).keys()].filter((name) => name.startsWith('gatebook_'));
  await sendVariedRequests(0, 3);
  const before = await ofGatebook();
  await sendVariedRequests(3, 30);
  expect((await ofGatebook()).toSorted()).toEqual(before.toSorted());
  expect(before.length).toBeLessThan(500);
});

test('metrics and readiness are not on the port of the API', async () => {
  const page = await (await fetch(`${product.url}/metrics`)).text();
  expect(page).not.toContain('gatebook_ready');
  expect((await fetch(`${operators}/api/v1`)).status).toBe(404);
  expect(await (await fetch(`${operators}/health/ready`)).json()).toMatchObject({ status: 'ok' });
});

const Rules = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          annotations: z.object({ summary: z.string(), runbook_url: z.string() }),
        }),
      ),
    }),
  ),
});
const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).optional() })),
});

const alerts = async () =>
  Rules.parse(parse(await read('infra/prometheus/alerts.yml'))).groups.flatMap(({ rules }) => rules);
const panels = async () => Dashboard.parse(JSON.parse(await read('infra/grafana/dashboards/gatebook.json'))).panels;
const operationsPage = () => read('docs/operations.md');

/** Metrics, labels and label values that an expression of PromQL names. */
function namedIn(expr: string): { metric: string; label?: string; value?: string }[] {
  return [...expr.matchAll(/\b((?:gatebook|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].flatMap(
    ([, metric = '', matchers = '']) => [
      { metric },
      ...[...matchers.matchAll(/(\w+)(=|!=|=~|!~)"([^"]*)"/g)].map(([, label = '', operator, value = '']) => ({
        metric,
        label,
        ...(operator === '=' && { value }),
      })),
    ],
  );
}

describe('alerts and dashboard', () => {
  const expressions = async () => [
    ...(await alerts()).map(({ alert, expr }) => ({ of: alert, expr })),
    ...(await panels()).flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr }))),
  ];

  test('every metric, label and label value that they name is in a scrape', async () => {
    const page = await scrape();
    const names = new Set([...page.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name));
    const series = [...seriesOf(page).keys()];
    const found = (await expressions()).flatMap(({ of, expr }) => namedIn(expr).map((named) => ({ of, ...named })));
    expect(found.length).toBeGreaterThan(60);
    for (const { of, metric, label, value } of found) {
      expect([...names], of).toContain(metric.replace(/_(bucket|sum|count)$/, ''));
      // A healthy server has no problems and no server errors.
      const isAbsent = metric === 'gatebook_problems' || value === '5xx';
      const wanted = value === undefined ? `${label}="` : `${label}="${value}"`;
      if (label === undefined || isAbsent) continue;
      expect(
        series.some((one) => one.startsWith(`${metric}{`) && one.includes(wanted)),
        `${of}: ${metric} ${wanted}`,
      ).toBe(true);
    }
  });

  test('every code of a problem that they name is documented', async () => {
    const text = await operationsPage();
    const codes = (await alerts()).flatMap(({ expr }) => [...expr.matchAll(/code=~?"([^"]+)"/g)]);
    expect(codes.length).toBeGreaterThan(0);
    for (const code of codes.flatMap(([, list = '']) => list.split('|'))) expect(text).toContain(`\`${code}\``);
  });

  test('every alert is documented and links to a section of the documentation', async () => {
    const text = await operationsPage();
    const anchors = [...text.matchAll(/^#{2,} (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const { alert, annotations } of await alerts()) {
      expect(text).toContain(`| \`${alert}\` |`);
      expect(
        anchors.map((anchor) => `docs/operations.md#${anchor}`),
        alert,
      ).toContain(annotations.runbook_url);
    }
  });
});

test('the documentation has every metric of Gatebook, and no other', async () => {
  const exported = [...(await scrape()).matchAll(/^# TYPE (gatebook_\w+)/gm)].map(([, name]) => name);
  const documented = [...(await operationsPage()).matchAll(/^\| `(gatebook_\w+)` \|/gm)].map(([, name]) => name);
  expect(documented.toSorted()).toEqual(exported.toSorted());
});

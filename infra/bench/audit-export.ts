import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Pool } from '@gatebook/runtime/postgres';
import type { ExportToRead } from './audit-export-reader.ts';
import { adminHeaders } from './audit-pages.ts';
import { residentMegabytes } from './cpu.ts';
import { historyProject, userIdOf } from './history-log.ts';
import type { HistoryWorld } from './history-world.ts';
import { type Call, callAtRate } from './load.ts';
import type { Result } from './report.ts';
import { percentile } from './statistics.ts';

/** Of other requests, whether or not earlier ones are answered. */
const perSecond = 50;
const quietMs = 10_000;
/** Whom other requests read: all of them before the export too, because rows that were read stay in memory. */
const readUsers = 400;
const samplingMs = 100;

/** Each takes as long as the others, so a part of the log is enough. */
const exportedAtFullSize = 100_000;

/** An export of the audit log that is cut off half-way and continued, beside other requests. */
export const benchAuditExport = (
  { withServer, pool, users, position }: HistoryWorld,
  scale: number,
): Promise<Result[]> =>
  withServer(async (server) => {
    const range = await findRange(pool, Math.min(Math.round(exportedAtFullSize * scale), Number(position) - 1));
    const { events } = range;
    const nextCall = () => readUser(Math.min(users, readUsers));
    // Compiled, so that both are like each other.
    await callAtRate({ origin: server.origin, nextCall }, perSecond, quietMs * scale);
    const quiet = await callAtRate({ origin: server.origin, nextCall }, perSecond, quietMs * scale);
    const before = await residentMegabytes(server.pid);
    let most = before;
    const sampling = setInterval(async () => {
      most = Math.max(most, await residentMegabytes(server.pid).catch(() => 0));
    }, samplingMs);
    const start = performance.now();
    let seconds = Number.NaN;
    const exporting = readInWorker({ origin: server.origin, headers: adminHeaders, ...range }).finally(() => {
      seconds = (performance.now() - start) / 1000;
    });
    const beside: number[] = [];
    let isOver = false;
    const ended = exporting.finally(() => {
      isOver = true;
    });
    ended.catch(() => undefined);
    while (!isOver) beside.push(...(await callAtRate({ origin: server.origin, nextCall }, perSecond, 1_000)).times);
    clearInterval(sampling);
    const exported = await exporting;
    const recorded = await countExports(pool);
    const p99 = (times: readonly number[]) => percentile(times, 0.99);
    const ofAll = `export of ${events.toLocaleString('en-US')} of ${Number(position).toLocaleString('en-US')} events`;
    return [
      { name: `check 10: ${ofAll}, growth of memory`, gatebook: most - before, unit: 'MB', aim: { atMost: 50 } },
      {
        name: `check 10: other requests beside the ${ofAll}, 99th percentile`,
        gatebook: p99(beside),
        reference: p99(quiet.times),
        referenceName: 'without the export',
        unit: 'ms',
        aim: { atMostRatio: 2 },
      },
      {
        name: `check 10: ${ofAll}, cut off half-way and continued, events lost or repeated`,
        gatebook: Math.abs(events - exported),
        unit: 'events',
        aim: { atMost: 0 },
      },
      { name: 'check 10: exports that were recorded, of 2', gatebook: recorded, unit: '', aim: { atLeast: 2 } },
      { name: ofAll, gatebook: exported / seconds, unit: 'events/s', aim: null },
    ];
  });

/** Reading the export in this thread would delay the requests whose times are taken. */
async function readInWorker(exported: ExportToRead): Promise<number> {
  const worker = new Worker(new URL('audit-export-reader.ts', import.meta.url), { workerData: exported });
  const [count] = await once(worker, 'message');
  return count;
}

type Range = Pick<ExportToRead, 'events' | 'until'>;

/** The events of the project that were committed before the one at a position. `until`: as a filter. */
async function findRange(pool: Pool, position: number): Promise<Range> {
  const { rows } = await pool.query<{ events: number; millis: number }>(
    `with until as (select floor(extract(epoch from committed_at) * 1000)::float8 as millis from log.events where position = $1)
     select u.millis, (select count(*)::int from log.events e
       where e.project_id = $2 and e.committed_at < to_timestamp(u.millis / 1000.0)) as events
     from until u`,
    [position, historyProject],
  );
  const [{ events = 0, millis = 0 } = {}] = rows;
  return { events, until: `&until_millis=${millis}` };
}

/** Recorded before their first byte. */
async function countExports(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from log.events where project_id = $1 and type = 'AuditLogExported'`,
    [historyProject],
  );
  return rows[0]?.count ?? 0;
}

let asked = 0;
const readUser = (users: number): Call => {
  asked += 1;
  return { method: 'GET', path: `/users/${userIdOf((asked * 7_919) % users)}`, headers: adminHeaders };
};

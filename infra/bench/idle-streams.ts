import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from '@gatebook/runtime/postgres';
import { nodeOptions } from '../testing/product.ts';
import { residentMegabytes } from './cpu.ts';
import { openEventStream } from './event-streams.ts';
import type { Server } from './history-world.ts';
import { originOf } from './load.ts';
import { startProcess } from './processes.ts';
import type { Result } from './report.ts';

const streamsAtFullSize = 1_000;
/** The memory of fewer streams is lost in that of everything else. */
const streamsPerScale = 10_000;
/** Two heartbeats, after which nothing of the beginning is left to be done. */
const settleMs = 30_000;

/** Memory and connections of streams while nothing happens (check 8). */
export async function benchIdleStreams({ origin, pid }: Server, pool: Pool, scale: number): Promise<Result[]> {
  const count = Math.min(streamsAtFullSize, streamsPerScale * scale);
  const settled = () => pause(settleMs * Math.max(scale, 0.1));
  const connectionsOf = async () => {
    const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from pg_stat_activity');
    return rows[0]?.count ?? Number.NaN;
  };
  let connections = 0;
  /** How much the memory of a process has grown with open streams. */
  const growthOf = async (server: Pick<Server, 'origin' | 'pid'>): Promise<number> => {
    const open = (streams: number) =>
      Promise.all(
        Array.from({ length: streams }, () => openEventStream(server.origin, '?after=head', () => undefined)),
      );
    // Code that is compiled for the first streams counts for none.
    for (const stream of await open(Math.min(count, 100))) stream.close();
    await settled();
    const before = { connections: await connectionsOf(), memory: await residentMegabytes(server.pid) };
    const streams = await open(count);
    await settled();
    connections = (await connectionsOf()) - before.connections;
    const growth = (await residentMegabytes(server.pid)) - before.memory;
    for (const stream of streams) stream.close();
    return growth;
  };
  const bare = await startProcess(new URL('bare-streams.ts', import.meta.url), [], {}, () => true, nodeOptions);
  const ofBare = await growthOf({
    origin: originOf(`http://127.0.0.1:${bare.line}`),
    pid: bare.child.pid ?? Number.NaN,
  }).finally(bare.stop);
  const ofGatebook = await growthOf({ origin, pid });
  const name = `check 8: ${count.toLocaleString('en-US')} idle streams`;
  return [
    {
      name: `${name}, growth of memory`,
      gatebook: ofGatebook,
      reference: ofBare,
      referenceName: 'node:http alone',
      unit: 'MB',
      aim: null,
    },
    {
      name: `${name}, what Gatebook adds to node:http`,
      gatebook: ofGatebook - ofBare,
      unit: 'MB',
      aim: { atMost: 20 },
    },
    {
      name: `${name}, additional database connections`,
      gatebook: Math.max(0, connections),
      unit: '',
      aim: { atMost: 20 },
    },
  ];
}

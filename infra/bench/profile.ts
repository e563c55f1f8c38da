import { findFreePort } from '@gatebook/runtime/free-port';
import { createPool, type Pool } from '@gatebook/runtime/postgres';
import { main, nodeOptions } from '../testing/product.ts';
import { openBench, type Settings } from './bench.ts';
import { cpuMs, threadsCpuMs } from './cpu.ts';
import { callInTurn } from './load.ts';
import { groupProfile } from './profile-groups.ts';
import { openProfiler } from './profiler.ts';
import { callsOf } from './requests.ts';
import { type Route, routes } from './routes.ts';
import { createWorld, type World } from './world.ts';

const callers = 32;
const profiledMs = 10_000;
const mainThread = 'main';
/** Groups below this share are summed up. */
const smallestShare = 0.01;

type Shares = ReadonlyMap<string, number>;
type Statement = { query: string; calls: number; ms: number };

/**
 * Where the CPU of one route goes, as two Markdown tables: what runs, and the statements.
 * @throws TypeError for an unknown route
 */
export async function profileRoute(name: string, settings: Settings): Promise<string> {
  const route = (routes as Readonly<Record<string, Route>>)[name];
  if (!route) throw new TypeError(`unknown route ${name}; there are ${Object.keys(routes).join(', ')}`);
  const bench = await openBench(settings, { shared_preload_libraries: 'pg_stat_statements' });
  try {
    const port = await findFreePort();
    const { users } = settings;
    const program = [process.execPath, ...nodeOptions, `--inspect=127.0.0.1:${port}`, main] as const;
    const world = await createWorld({ users, freshDatabase: bench.freshDatabase, program });
    const pool = createPool(await bench.freshDatabase('statements'), { max: 1, name: 'bench statements' });
    try {
      await pool.query('create extension pg_stat_statements');
      return await profile({ route, world, pool, port, ms: profiledMs * settings.scale });
    } finally {
      await pool.end();
      await world.stop();
    }
  } finally {
    await bench.close();
  }
}

type Profiling = { route: Route; world: World; pool: Pool; port: number; ms: number };

async function profile({ route, world, pool, port, ms }: Profiling): Promise<string> {
  const { pid, postmaster } = world.gatebook;
  const calls = callsOf(world.gatebook, route, world);
  await callInTurn(calls, callers, ms / 2);
  const profiler = await openProfiler(port);
  const usage = async () => ({ threads: await threadsCpuMs(pid), postgres: await cpuMs(postmaster ?? pid) });
  await pool.query('select pg_stat_statements_reset()');
  const before = await usage();
  await profiler.start();
  const load = await callInTurn(calls, callers, ms);
  const groups = groupProfile(await profiler.stop());
  const after = await usage();
  profiler.close();
  const statements = await statementsOf(pool);
  const perAnswer = (whole: number) => whole / load.answers;
  const shares = new Map([
    ['Postgres', perAnswer(after.postgres - before.postgres)],
    ...[...after.threads].flatMap(([thread, cpu]): [string, number][] => {
      const used = perAnswer(cpu - (before.threads.get(thread) ?? 0));
      return thread === mainThread ? scaled(groups, used) : [[`thread ${thread}`, used]];
    }),
  ]);
  const rate = Math.round((load.answers * 1000) / load.ms).toLocaleString('en-US');
  return [
    `${route.name}: ${rate} answers/s while profiled, ${callers} callers.`,
    toShareTable(shares),
    toStatementTable(statements, load.answers),
    '',
  ].join('\n\n');
}

/** The groups of the main thread, so that together they have its CPU time: the profiler samples, Linux counts. */
function scaled(groups: Shares, used: number): [string, number][] {
  const sampled = [...groups.values()].reduce((sum, ms) => sum + ms, 0);
  return [...groups].map(([group, ms]) => [group, (ms * used) / sampled]);
}

function toShareTable(shares: Shares): string {
  const all = [...shares.values()].reduce((sum, ms) => sum + ms, 0);
  const shown = [...shares].filter(([, ms]) => ms >= all * smallestShare).toSorted(([, a], [, b]) => b - a);
  const others = all - shown.reduce((sum, [, ms]) => sum + ms, 0);
  const row = ([group, ms]: readonly [string, number]) =>
    `| ${group} | ${ms.toFixed(3)} | ${((ms * 100) / all).toFixed(1)} % |`;
  return [
    '| Where | CPU per answer, ms | Share |',
    '| --- | --- | --- |',
    ...shown.map(row),
    row(['others', others]),
    row(['all', all]),
  ].join('\n');
}

/** Of all databases: only Gatebook is loaded. */
async function statementsOf(pool: Pool): Promise<Statement[]> {
  const { rows } = await pool.query<Statement>(
    `select regexp_replace(query, '\\s+', ' ', 'g') as query, sum(calls)::float8 as calls,
       sum(total_exec_time + total_plan_time) as ms
     from pg_stat_statements group by 1 order by 3 desc limit 30`,
  );
  return rows;
}

function toStatementTable(statements: readonly Statement[], answers: number): string {
  const rows = statements
    .filter(({ calls }) => calls / answers >= smallestShare)
    .map(({ query, calls, ms }) => {
      const text = query.slice(0, 100).replaceAll('|', '\\|').replaceAll('`', "'");
      return `| \`${text}\` | ${(calls / answers).toFixed(2)} | ${(ms / calls).toFixed(3)} | ${(ms / answers).toFixed(3)} |`;
    });
  return ['| Statement | Calls per answer | ms per call | ms per answer |', '| --- | --- | --- | --- |', ...rows].join(
    '\n',
  );
}

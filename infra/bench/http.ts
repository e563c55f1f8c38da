import { createPool } from '@gatebook/runtime/postgres';
import { answersPerSecond, inTurn } from './load.ts';
import { startProcess } from './processes.ts';
import type { BenchProduct } from './product.ts';
import type { Result } from './report.ts';

const load = { connections: 64, seconds: 5 };
const rounds = 3;

/** `users/me` and token refresh against a bare route with one prepared read, 64 connections each. */
export async function benchReads(product: BenchProduct, databaseUrl: string): Promise<Result[]> {
  const rowId = await makeRows(databaseUrl);
  const bare = await startProcess(new URL('bare-server.ts', import.meta.url), [databaseUrl], {}, (line) =>
    line.startsWith('{'),
  );
  try {
    const { port } = JSON.parse(bare.line) as { port: number };
    const bareRoute = () => answersPerSecond({ url: `http://127.0.0.1:${port}/rows/${rowId}` }, load);
    const user = await product.signUp('reader@bench.example');
    const me = await inTurn(
      rounds,
      () =>
        answersPerSecond(
          {
            url: `${product.url}/api/v1/users/me`,
            headers: { ...product.clientHeaders, 'x-stack-access-token': user.accessToken },
          },
          load,
        ),
      bareRoute,
    );
    const refresh = await inTurn(
      rounds,
      () =>
        answersPerSecond(
          {
            url: `${product.url}/api/v1/auth/oauth/token`,
            method: 'POST',
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: product.refreshForm(user.refreshToken),
          },
          load,
        ),
      bareRoute,
    );
    const against = { referenceName: 'fastify with one prepared read', unit: 'responses/s' };
    return [
      {
        name: '`GET /users/me`, 64 connections',
        gatebook: me.first,
        reference: me.second,
        ...against,
        aim: { ratio: 0.6 },
      },
      {
        name: 'token refresh, 64 connections',
        gatebook: refresh.first,
        reference: refresh.second,
        ...against,
        aim: { ratio: 0.5 },
      },
    ];
  } finally {
    await bare.stop();
  }
}

async function makeRows(databaseUrl: string): Promise<string> {
  const pool = createPool(databaseUrl, { max: 1, name: 'bench-setup' });
  try {
    await pool.query(`create table if not exists bench_rows (
      id uuid primary key default gen_random_uuid(), name text not null, note text not null, created_at timestamptz not null default now())`);
    await pool.query(
      `insert into bench_rows (name, note) select 'name ' || n, repeat('x', 200) from generate_series(1, 1000) n`,
    );
    const { rows } = await pool.query<{ id: string }>('select id from bench_rows limit 1');
    if (!rows[0]) throw new Error('bench_rows is empty');
    return rows[0].id;
  } finally {
    await pool.end();
  }
}

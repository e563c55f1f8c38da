import { createPool } from '@gatebook/runtime/postgres';
import fastify from 'fastify';

/** The reference for `users/me` and a refresh: one route with one prepared read by primary key. */
const [databaseUrl = ''] = process.argv.slice(2);
const pool = createPool(databaseUrl, { max: 10, name: 'bench-bare' });
const app = fastify();
app.get<{ Params: { id: string } }>('/rows/:id', async (request) => {
  const { rows } = await pool.query({
    name: 'row',
    text: 'select id, name, note, created_at from bench_rows where id = $1',
    values: [request.params.id],
  });
  return rows[0];
});
await app.listen({ port: 0, host: '127.0.0.1' });
const address = app.server.address();
process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : null })}\n`);
process.once('SIGTERM', () => void app.close().then(() => pool.end()));

import { consumeEvents, postgresStore } from '@gatebook/js/events';
import { GatebookServerApp } from '@gatebook/js/server';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL ?? 'postgres://localhost/shop' });
await pool.query(`
  create table if not exists gatebook_consumers (consumer text primary key, cursor text);
  create table if not exists customers (user_id text primary key, name text, sign_ins int not null default 0);
`);

const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());

await consumeEvents({
  app: new GatebookServerApp({ tokenStore: null }),
  name: 'customers',
  store: postgresStore(pool),
  types: ['user.created', 'user.updated', 'user.deleted', 'user.signed_in'],
  signal: stop.signal,
  onError: (error) => console.error(error),
  handle: async (event, tx) => {
    switch (event.type) {
      case 'user.created':
      case 'user.updated':
        await tx.query(
          'insert into customers values ($1, $2) on conflict (user_id) do update set name = excluded.name',
          [event.data.id, event.data.display_name],
        );
        break;
      case 'user.signed_in':
        await tx.query('update customers set sign_ins = sign_ins + 1 where user_id = $1', [event.data.user_id]);
        break;
      case 'user.deleted':
        await tx.query('delete from customers where user_id = $1', [event.data.id]);
    }
  },
});
await pool.end();

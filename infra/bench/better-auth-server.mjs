// Better Auth with defaults, but for argon2id, no rate limits and an admin. It runs where it was installed.
// Arguments: database URL, URLs of `pg` and `@node-rs/argon2`, ID of the admin.
import { createServer } from 'node:http';
import { betterAuth } from 'better-auth';
import { getMigrations } from 'better-auth/db/migration';
import { toNodeHandler } from 'better-auth/node';
import { admin } from 'better-auth/plugins/admin';

const [databaseUrl, pgUrl, argonUrl, adminId] = process.argv.slice(2);
const { default: pg } = await import(pgUrl);
const { hash, verify } = await import(argonUrl);
const cost = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
const auth = betterAuth({
  baseURL: 'http://127.0.0.1:3000',
  secret: 'a secret of at least thirty-two characters',
  database: new pg.Pool({ connectionString: databaseUrl, max: 10 }),
  emailAndPassword: {
    enabled: true,
    password: {
      hash: (password) => hash(password, cost),
      verify: ({ hash: stored, password }) => verify(stored, password),
    },
  },
  plugins: [admin({ adminUserIds: [adminId] })],
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  logger: { level: 'error' },
});
await (await getMigrations(auth.options)).runMigrations();
const server = createServer(toNodeHandler(auth));
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify({ port: server.address().port })}\n`));
process.once('SIGTERM', () => process.exit());
process.once('disconnect', () => process.exit());

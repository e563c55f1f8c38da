import { tour } from './tour.ts';

const { DATABASE_URL } = process.env;
if (!DATABASE_URL) throw new Error('Set DATABASE_URL to an empty Postgres database.');
await tour(DATABASE_URL, (line) => process.stdout.write(`${line}\n`));

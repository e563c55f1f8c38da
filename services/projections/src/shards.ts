import { createHash } from 'node:crypto';

const hashes = new Map<string, number>();
const maxHashes = 10_000;
/** 28 bits: the result is a positive integer in Postgres too. */
const hexDigits = 7;

/** The shard that applies the events of a project. The same on every machine, because checkpoints depend on it. */
export function shardOf(projectId: string, shards: number): number {
  if (shards === 1) return 0;
  const known = hashes.get(projectId);
  if (known !== undefined) return known % shards;
  const hash = Number.parseInt(createHash('sha256').update(projectId).digest('hex').slice(0, hexDigits), 16);
  if (hashes.size >= maxHashes) hashes.clear();
  hashes.set(projectId, hash);
  return hash % shards;
}

/** SQL: `shardOf` of the project in `column`. */
export const shardOfColumn = (column: string, shards: number) =>
  `('x' || left(encode(sha256(convert_to(${column}, 'UTF8')), 'hex'), ${hexDigits}))::bit(${hexDigits * 4})::integer % ${shards}`;

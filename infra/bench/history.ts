import { benchAuditExport } from './audit-export.ts';
import { benchAuditPages } from './audit-pages.ts';
import type { Bench } from './bench.ts';
import { createHistoryWorld } from './history-world.ts';
import { benchPast } from './past.ts';
import type { Result } from './report.ts';

/** Of a run at full size. */
const usersAtFullSize = 100_000;

/** The audit log and the past, with one log of ten events per user. */
export async function benchHistory(databaseUrl: string, { scale }: Pick<Bench, 'scale'>): Promise<Result[]> {
  const world = await createHistoryWorld(databaseUrl, Math.max(1_000, Math.round(usersAtFullSize * scale)));
  try {
    return [...(await benchAuditPages(world)), ...(await benchAuditExport(world, scale)), ...(await benchPast(world))];
  } finally {
    await world.close();
  }
}

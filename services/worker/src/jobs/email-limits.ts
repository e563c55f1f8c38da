import { migrate, type Pool } from '@gatebook/runtime/postgres';

export type EmailLimits = {
  /** Counts a mail that is about to leave. @returns whether it may; `laterMs` until the project may send again */
  take(mail: {
    projectId: string;
    recipientHash: string;
    at: string;
  }): Promise<'yes' | 'recipient' | { laterMs: number }>;
  /** Forgets what no limit looks at any more. */
  forgetBefore(at: string): Promise<void>;
};

type Limit = { max: number; minutes: number };
export type LimitRules = { recipient: readonly Limit[]; project: Limit };

/** Nobody's mailbox is flooded, and one project's mails never use up the shared sender (docs/rate-limits.md). */
export const defaultLimits: LimitRules = {
  recipient: [
    { max: 15, minutes: 10 },
    { max: 60, minutes: 24 * 60 },
  ],
  project: { max: 1_000, minutes: 60 },
};

export async function migrateEmailLimits(pool: Pool): Promise<void> {
  await migrate(pool, new URL('../migrations/', import.meta.url), 'worker');
}

/** Counts where every worker sees them, in fixed stretches of time. */
export function createEmailLimits(pool: Pool, { recipient, project }: LimitRules = defaultLimits): EmailLimits {
  return {
    take: async ({ projectId, recipientHash, at }) => {
      const ofProject = stretchOf(at, project);
      if ((await count(pool, `project ${projectId}`, ofProject.since)) > project.max) {
        return { laterMs: Math.max(1_000, ofProject.endsAt - Date.parse(at)) };
      }
      for (const limit of recipient) {
        const scope = `recipient ${limit.minutes} ${recipientHash}`;
        if ((await count(pool, scope, stretchOf(at, limit).since)) > limit.max) return 'recipient';
      }
      return 'yes';
    },
    forgetBefore: async (at) => {
      await pool.query('delete from worker.email_counts where since < $1', [at]);
    },
  };
}

function stretchOf(at: string, { minutes }: Limit): { since: string; endsAt: number } {
  const lengthMs = minutes * 60_000;
  const begins = Math.floor(Date.parse(at) / lengthMs) * lengthMs;
  return { since: new Date(begins).toISOString(), endsAt: begins + lengthMs };
}

async function count(pool: Pool, scope: string, since: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `insert into worker.email_counts as c (scope, since, count) values ($1, $2, 1)
     on conflict (scope, since) do update set count = c.count + 1 returning count`,
    [scope, since],
  );
  return rows[0]?.count ?? 0;
}

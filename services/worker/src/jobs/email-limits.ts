import { migrate, type Pool } from '@gatebook/runtime/postgres';

export type EmailLimits = {
  /**
   * Counts an email that is about to be sent. @returns the limit that it exceeds; `laterMs`: time until the project can
   * send again
   */
  take(email: {
    projectId: string;
    recipientHash: string;
    at: string;
    /** Counted separately, so that mailings never use up the limits of sign-in emails. */
    isMailing: boolean;
  }): Promise<'yes' | 'recipient' | { laterMs: number }>;
  /** Deletes counts that no limit needs anymore. */
  forgetBefore(at: string): Promise<void>;
};

type Limit = { max: number; minutes: number };
export type LimitRules = { recipient: readonly Limit[]; project: Limit };

/** Protects mailboxes from floods, and the shared sender from being used up by one project (docs/rate-limits.md). */
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

/** Counts in the database, shared by all workers, per fixed time window. */
export function createEmailLimits(pool: Pool, { recipient, project }: LimitRules = defaultLimits): EmailLimits {
  return {
    take: async ({ projectId, recipientHash, at, isMailing }) => {
      const of = isMailing ? 'mailing ' : '';
      const projectWindow = windowOf(at, project);
      if ((await count(pool, `${of}project ${projectId}`, projectWindow.since)) > project.max) {
        return { laterMs: Math.max(1_000, projectWindow.endsAt - Date.parse(at)) };
      }
      for (const limit of recipient) {
        const scope = `${of}recipient ${limit.minutes} ${recipientHash}`;
        if ((await count(pool, scope, windowOf(at, limit).since)) > limit.max) return 'recipient';
      }
      return 'yes';
    },
    forgetBefore: async (at) => {
      await pool.query('delete from worker.email_counts where since < $1', [at]);
    },
  };
}

function windowOf(at: string, { minutes }: Limit): { since: string; endsAt: number } {
  const lengthMs = minutes * 60_000;
  const startsAt = Math.floor(Date.parse(at) / lengthMs) * lengthMs;
  return { since: new Date(startsAt).toISOString(), endsAt: startsAt + lengthMs };
}

async function count(pool: Pool, scope: string, since: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `insert into worker.email_counts as c (scope, since, count) values ($1, $2, 1)
     on conflict (scope, since) do update set count = c.count + 1 returning count`,
    [scope, since],
  );
  return rows[0]?.count ?? 0;
}

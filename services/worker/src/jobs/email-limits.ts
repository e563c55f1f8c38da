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
      const windowOfProject = windowOf(at, project);
      const exceeded = await countUntilExceeded(pool, [
        { scope: `${of}project ${projectId}`, since: windowOfProject.since, max: project.max },
        ...recipient.map((limit) => ({
          scope: `${of}recipient ${limit.minutes} ${recipientHash}`,
          since: windowOf(at, limit).since,
          max: limit.max,
        })),
      ]);
      if (exceeded === null) return 'yes';
      if (exceeded > 0) return 'recipient';
      return { laterMs: Math.max(1_000, windowOfProject.endsAt - Date.parse(at)) };
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

type Window = { scope: string; since: string; max: number };

/**
 * Adds one to each count, in order, up to the first one that exceeds its maximum. One statement for all; the commit
 * need not reach the disk, because a lost count only allows one email more. @returns the index of that count, or null
 */
async function countUntilExceeded(pool: Pool, windows: readonly Window[]): Promise<number | null> {
  const steps = windows.map((_, index) => {
    const [scope, since, maxBefore] = [index * 3 + 1, index * 3 + 2, index * 3];
    const from = index === 0 ? 'lazily' : `count_${index - 1} where count <= $${maxBefore}`;
    return `count_${index} as (
      insert into worker.email_counts as c (scope, since, count) select $${scope}, $${since}::timestamptz, 1 from ${from}
      on conflict (scope, since) do update set count = c.count + 1 returning count)`;
  });
  const last = windows.length - 1;
  const { rows } = await pool.query<{ counts: (number | null)[] }>({
    name: `email-limits-${windows.length}`,
    text: `with lazily as materialized (select set_config('synchronous_commit', 'off', true)), ${steps}
      select array[${windows.map((_, index) => `(select count from count_${index})`)}] as counts
      where $${last * 3 + 3}::int is not null`,
    values: windows.flatMap(({ scope, since, max }) => [scope, since, max]),
  });
  const counts = rows[0]?.counts ?? [];
  const exceeded = windows.findIndex(({ max }, index) => (counts[index] ?? 0) > max);
  return exceeded === -1 ? null : exceeded;
}

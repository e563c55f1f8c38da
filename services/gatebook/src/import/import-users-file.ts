import type { Context, WriteDeps } from '@gatebook/commands/deps';
import { type DryRun, type ImportedUser, type ImportOutcome, importUsers } from '@gatebook/commands/user/import-users';
import { DomainError } from '@gatebook/domain/errors';
import { openRows } from './open-rows.ts';
import { type ImportTarget, prepareUser } from './prepare-user.ts';
import type { Problem, Report } from './report.ts';
import type { Row } from './row.ts';
import type { LostPart, Source, SourceOptions } from './source.ts';

/** Small enough to lose little when interrupted, large enough to be fast. */
const usersAtOnce = 500;
/** While the log writes one batch, the next one is prepared. A dry run finds duplicates in the order of the file. */
const batchesAtOnce = 2;

export type ImportCounts = { rows: number; created: number; completed: number; existing: number; rejected: number };
export type ImportJob = {
  deps: WriteDeps;
  /** Of one batch or row, which is an action of its own: the whole import would be too long for one. */
  newContext(): Context;
  target: ImportTarget;
  report: Report;
  /** Not null: a dry run. */
  rehearsal: DryRun | null;
  signal: AbortSignal;
};
type Options = { source: Source; sourceOptions: SourceOptions; onProgress: (bytes: number, users: number) => void };

type Waiting = { line: number; sourceId: string; input: ImportedUser; lost: LostPart[] };

/** Imports the users of a file, one batch after the other, until the end or until the signal aborts. */
export async function importUsersFile(job: ImportJob, file: string, options: Options): Promise<ImportCounts> {
  const counts: ImportCounts = { rows: 0, created: 0, completed: 0, existing: 0, rejected: 0 };
  let bytes = 0;
  let waiting: Waiting[] = [];
  const running = new Set<Promise<void>>();
  const startBatch = async () => {
    const batch = waiting;
    waiting = [];
    const work: Promise<void> = importBatch(job, file, batch, counts).finally(() => running.delete(work));
    running.add(work);
    if (running.size >= (job.rehearsal ? 1 : batchesAtOnce)) await Promise.race(running);
    options.onProgress(bytes, counts.rows);
  };
  const onRead = (read: number) => {
    bytes = read;
  };
  for await (const row of openRows(file, onRead)) {
    if (job.signal.aborted) break;
    counts.rows += 1;
    const prepared = prepareRow(job, row, options);
    if ('reason' in prepared) {
      counts.rejected += 1;
      await job.report.add({ file, ...prepared });
    } else waiting.push(prepared);
    if (waiting.length >= usersAtOnce) await startBatch();
  }
  if (!job.signal.aborted) await startBatch();
  await Promise.all(running);
  return counts;
}

function prepareRow(
  { target }: ImportJob,
  row: Row,
  { source, sourceOptions }: Options,
): Waiting | Omit<Problem, 'file'> {
  const { line } = row;
  const reject = (reason: string, detail: string, id: string | null = null) => {
    return { line, id, lost: 'row', reason, detail } as const;
  };
  if ('error' in row) return reject('malformed', row.error);
  const found = source(row.value, sourceOptions);
  if (typeof found === 'string') return reject('invalid', found);
  const prepared = prepareUser(target, found);
  if (typeof prepared === 'string') return reject('invalid', prepared, found.sourceId);
  return { line, sourceId: found.sourceId, ...prepared };
}

async function importBatch(job: ImportJob, file: string, batch: readonly Waiting[], counts: ImportCounts) {
  const { deps, newContext, report, rehearsal } = job;
  const outcomes = await importUsers(
    deps,
    newContext(),
    batch.map(({ input }) => input),
    { rehearsal },
  );
  for (const [index, row] of batch.entries()) {
    const outcome = await withoutTakenEmails(job, row, outcomes[index] ?? 'existing');
    const of = { file, line: row.line, id: row.sourceId };
    if (outcome instanceof DomainError) {
      counts.rejected += 1;
      await report.add({ ...of, lost: 'row', ...explain(outcome, row.input) });
      continue;
    }
    counts[outcome] += 1;
    for (const { reason, detail = null } of row.lost) await report.add({ ...of, lost: 'part', reason, detail });
  }
}

/** An address besides the primary one that somebody else signs in with does not cost the user. */
async function withoutTakenEmails(job: ImportJob, row: Waiting, outcome: ImportOutcome): Promise<ImportOutcome> {
  const { input, lost } = row;
  if (!(outcome instanceof DomainError) || outcome.code !== 'USER_EMAIL_ALREADY_EXISTS') return outcome;
  const taken = input.otherEmails?.find(({ value, usedForAuth }) => usedForAuth && value === outcome.details.email);
  if (!taken) return outcome;
  lost.push({ reason: 'email_in_use', detail: taken.value });
  const otherEmails = input.otherEmails?.map((each) => (each === taken ? { ...each, usedForAuth: false } : each));
  const next = { ...row, input: { ...input, otherEmails } };
  const { deps, newContext, rehearsal } = job;
  const [again = outcome] = await importUsers(deps, newContext(), [next.input], { rehearsal });
  return withoutTakenEmails(job, next, again);
}

function explain({ code, details }: DomainError, input: ImportedUser): { reason: string; detail: string | null } {
  switch (code) {
    case 'USER_EMAIL_ALREADY_EXISTS':
      return { reason: 'email_in_use', detail: input.primaryEmail ?? null };
    case 'OAUTH_CONNECTION_ALREADY_CONNECTED_TO_ANOTHER_USER':
      return { reason: 'provider_account_in_use', detail: null };
    case 'USER_ID_TAKEN':
      return { reason: 'id_in_use', detail: input.id };
    case 'SIGN_UP_TIME_IN_FUTURE':
      return { reason: 'invalid', detail: 'The time of the sign-up is in the future.' };
    default:
      return { reason: code.toLowerCase(), detail: Object.keys(details).length > 0 ? JSON.stringify(details) : null };
  }
}

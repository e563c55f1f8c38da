import type { Context, WriteDeps } from '@gatebook/commands/deps';
import { type DryRun, type ImportedUser, type ImportOutcome, importUsers } from '@gatebook/commands/user/import-users';
import type { Row } from '@gatebook/contract/import/row';
import { DomainError } from '@gatebook/domain/errors';
import { type ImportTarget, prepareUser } from './prepare-user.ts';
import type { LostPart, Source, SourceOptions } from './source.ts';

export type ImportRun = {
  deps: WriteDeps;
  /** For one batch or row: each is its own action, because the whole import would be too long for one. */
  newContext(): Context;
  target: ImportTarget;
  /** Not null: a dry run. */
  rehearsal: DryRun | null;
};

/** What became of a row. `problems`: why it was rejected, or what its user was imported without. */
export type RowResult = {
  line: number;
  /** ID in the other product, if the row has one. */
  id: string | null;
  outcome: 'created' | 'completed' | 'existing' | 'rejected';
  problems: readonly { reason: string; detail: string | null }[];
};

type Waiting = { line: number; sourceId: string; input: ImportedUser; lost: LostPart[] };
type Read = { source: Source; sourceOptions: SourceOptions };

/** Imports a batch of rows. @returns their results, in order */
export async function importUserRows(run: ImportRun, rows: readonly Row[], read: Read): Promise<readonly RowResult[]> {
  const prepared = rows.map((row) => prepareRow(run.target, row, read));
  const waiting = prepared.filter((row): row is Waiting => 'input' in row);
  const { deps, newContext, rehearsal } = run;
  const inputs = waiting.map(({ input }) => input);
  const outcomes = await importUsers(deps, newContext(), inputs, { rehearsal });
  const results = new Map<object, RowResult>();
  for (const [index, row] of waiting.entries()) {
    const outcome = await withoutTakenEmails(run, row, outcomes[index] ?? 'existing');
    results.set(row, resultOf(row, outcome));
  }
  return prepared.map((row) => results.get(row) ?? (row as RowResult));
}

function prepareRow(target: ImportTarget, row: Row, { source, sourceOptions }: Read): Waiting | RowResult {
  const { line } = row;
  const reject = (reason: string, detail: string, id: string | null = null): RowResult => {
    return { line, id, outcome: 'rejected', problems: [{ reason, detail }] };
  };
  if ('error' in row) return reject('malformed', row.error);
  const found = source(row.value, sourceOptions);
  if (typeof found === 'string') return reject('invalid', found);
  const prepared = prepareUser(target, found);
  if (typeof prepared === 'string') return reject('invalid', prepared, found.sourceId);
  return { line, sourceId: found.sourceId, ...prepared };
}

function resultOf({ line, sourceId: id, input, lost }: Waiting, outcome: ImportOutcome): RowResult {
  if (outcome instanceof DomainError) {
    return { line, id, outcome: 'rejected', problems: [explain(outcome, input)] };
  }
  return { line, id, outcome, problems: lost.map(({ reason, detail = null }) => ({ reason, detail })) };
}

/** An address besides the primary one that somebody else signs in with does not cost the user. */
async function withoutTakenEmails(run: ImportRun, row: Waiting, outcome: ImportOutcome): Promise<ImportOutcome> {
  const { input, lost } = row;
  if (!(outcome instanceof DomainError) || outcome.code !== 'USER_EMAIL_ALREADY_EXISTS') return outcome;
  const taken = input.otherEmails?.find(({ value, usedForAuth }) => usedForAuth && value === outcome.details.email);
  if (!taken) return outcome;
  lost.push({ reason: 'email_in_use', detail: taken.value });
  const otherEmails = input.otherEmails?.map((each) => (each === taken ? { ...each, usedForAuth: false } : each));
  const next = { ...row, input: { ...input, otherEmails } };
  const { deps, newContext, rehearsal } = run;
  const [again = outcome] = await importUsers(deps, newContext(), [next.input], { rehearsal });
  return withoutTakenEmails(run, next, again);
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

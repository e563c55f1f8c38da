import { masterKeyId, UnknownMasterKeyError } from '@gatebook/eventlog/encryption/master-key';
import { postgresWrappedKeys } from '@gatebook/eventlog/postgres/key-store';
import { operationsAtHead } from '@gatebook/projections/operations/at-head';
import { missingLeaders } from '@gatebook/projections/operations/problems';
import { type OperationsStatus, operationsStatus } from '@gatebook/projections/operations/queries';
import type { CliContext } from '../cli-context.ts';
import { type Operator, openOperator } from '../operator.ts';
import { count } from '../text.ts';
import { type Check, failed, messageOf, note, ok } from './check.ts';
import { describeLostKeys, findLostKeys, type LostKeys } from './lost-keys-check.ts';

/** A smaller lag is normal for a busy log. */
const maxLag = 1000n;

/** `isComplete`: read the whole log. */
export type LogCheckOptions = { isServerRunning: boolean; isComplete: boolean };

export async function checkLog(
  env: CliContext['env'],
  { isServerRunning, isComplete }: LogCheckOptions,
): Promise<Check[]> {
  let operator: Operator;
  try {
    operator = await openOperator(env);
  } catch (error) {
    const isKeyUnknown = error instanceof UnknownMasterKeyError;
    const advice = isKeyUnknown ? 'check GATEBOOK_MASTER_KEY' : 'follow the message';
    return [failed('log', messageOf(error), advice)];
  }
  try {
    const { config, store, pool } = operator;
    const head = await store.head();
    let lostKeys: LostKeys;
    try {
      // Decrypts personal fields, so that a wrong master key is found.
      lostKeys = await findLostKeys(store, { isComplete });
    } catch (error) {
      const finding = `head at position ${count(head)}, but events can't be read: ${messageOf(error)}`;
      return [failed('log', finding, 'check GATEBOOK_MASTER_KEY')];
    }
    return [
      ok(
        'log',
        `in ${config.eventStore.url === null ? 'the database' : 'EventStoreDB'}, head at position ${count(head)}, readable with the master key`,
      ),
      checkLostKeys(lostKeys),
      await checkMasterKey(operator),
      ...(await checkSubscriptions(operator, isServerRunning)),
      checkLeaders(await operationsStatus(pool), isServerRunning),
    ];
  } finally {
    await operator.close();
  }
}

function checkLostKeys(lostKeys: LostKeys): Check {
  const { events, checked, otherUnreadable } = lostKeys;
  if (events > 0) {
    const advice = 'restore schema keys from a backup, or see "A lost key" in docs/operations.md';
    return failed('subject keys', describeLostKeys(lostKeys), advice);
  }
  if (otherUnreadable !== null) return failed('subject keys', otherUnreadable, 'install the newest version');
  return ok('subject keys', `none is lost among ${count(checked)} events`);
}

/** A new master key is used only after `gatebook keys rotate master`. */
async function checkMasterKey({ accountPool: pool, masterKey }: Operator): Promise<Check> {
  const [newest] = await masterKey();
  const id = newest ? masterKeyId(newest) : '';
  const others = await Promise.all(postgresWrappedKeys(pool).map((table) => table.listWrappedByOthers(id, '', 1)));
  return others.every((keys) => keys.length === 0)
    ? ok('master key', 'wraps all keys')
    : note('master key', 'some keys are still wrapped by a former master key', 'run gatebook keys rotate master');
}

async function checkSubscriptions({ pool, store, groups }: Operator, isServerRunning: boolean): Promise<Check[]> {
  const operations = () => operationsStatus(pool);
  const { subscriptions, projectionVersions } = await operationsAtHead({ operations, store });
  const checks = subscriptions.map(({ name, lag, error }) => {
    const check = `subscription ${name}`;
    if (error !== null) return failed(check, error, 'fix the cause (often with a newer version) and restart');
    const finding = lag === 0n ? 'up to date' : `lag of ${count(lag)} events`;
    if (lag < maxLag) return ok(check, finding);
    return isServerRunning
      ? failed(
          check,
          finding,
          'check again in a minute; if the lag does not shrink, read the log of the process and restart it',
        )
      : note(check, finding, 'catches up when Gatebook runs');
  });
  const missing = groups
    .filter(({ name }) => !projectionVersions.some(({ group, state }) => group === name && state === 'live'))
    .map(({ name }) =>
      failed(`subscription ${name}`, 'has no live projection version yet', 'start Gatebook and wait until it is built'),
    );
  return [...checks, ...missing];
}

function checkLeaders({ leaders }: OperationsStatus, isServerRunning: boolean): Check {
  const missing = missingLeaders(leaders, ['projector', 'worker']).map(({ code }) => code.replace('_missing', ''));
  if (missing.length === 0) return ok('leaders', 'projector and worker are running');
  const finding = `not running: ${missing.join(', ')}`;
  return isServerRunning ? failed('leaders', finding, 'start one or read its log') : note('leaders', finding);
}

import { rotateMasterKey } from '@gatebook/eventlog/encryption/rotate-master-key';
import { createSigningKeys, type SigningKeys } from '@gatebook/eventlog/encryption/signing-keys';
import {
  createPostgresInstallationKeyStore,
  createPostgresSigningKeyStore,
  listSigningKeys,
  postgresWrappedKeys,
  type SigningKeyRow,
} from '@gatebook/eventlog/postgres/key-store';
import { systemClock } from '@gatebook/runtime/clock';
import type { Pool } from '@gatebook/runtime/postgres';
import { type Command, InvalidArgumentError } from 'commander';
import { addMasterKey, dropFormerMasterKeys } from '../embedded/data-folder.ts';
import { type Operator, withOperator } from './operator.ts';
import { CommandError, exitCodes, type Surroundings } from './surroundings.ts';
import { columns, count, json } from './text.ts';

type Json = { json: boolean };
type OfProject = Json & { project?: string };

const rotationLock = 'gatebook master key rotation';
const settleSeconds = 31;

/** `gatebook keys …`: list, rotate and withdraw the keys that sign tokens and encrypt personal data. */
export function addKeysCommands(program: Command, surroundings: Surroundings): void {
  const keys = program.command('keys').description('list, rotate and withdraw keys');
  keys
    .command('list')
    .description('list the keys that sign access tokens, newest first')
    .option('--project <id>', 'of one project')
    .option('--json', 'JSON for programs', false)
    .action((options: OfProject) => list(surroundings, options));
  const rotate = keys.command('rotate').description('replace keys while Gatebook runs');
  rotate
    .command('signing')
    .description('replace the keys that sign access tokens; nobody is signed out')
    .option('--project <id>', 'of one project')
    .option('--json', 'JSON for programs', false)
    .action((options: OfProject) => rotateSigning(surroundings, options));
  rotate
    .command('master')
    .description('replace the master key: every stored key is wrapped by the new one')
    .option('--settle <seconds>', 'how long to wait for processes that missed the notification', seconds, settleSeconds)
    .option('--json', 'JSON for programs', false)
    .addHelpText(
      'after',
      '\nThe key in the data folder is replaced by a new one. With GATEBOOK_MASTER_KEY, set that to the new key and\n' +
        'GATEBOOK_FORMER_MASTER_KEYS to the old one, and restart every process before this. A rotation that was\n' +
        'interrupted continues when the command is run again.',
    )
    .action((options: Json & { settle: number }) => rotateMaster(surroundings, options));
  keys
    .command('withdraw')
    .description('emergency: reject every access token that a signing key has signed, in every process, now')
    .argument('<kid>', 'ID of the key, as `keys list` and the header of a token have it')
    .option('--json', 'JSON for programs', false)
    .action((kid: string, options: Json) => withdraw(surroundings, kid, options));
}

function seconds(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It is not a whole number of seconds.');
  return Number(text);
}

const signingKeysOf = ({ keys, accountPool: pool, listener }: Operator): SigningKeys =>
  createSigningKeys({
    masterKey: keys.master,
    store: createPostgresSigningKeyStore(pool, listener),
    now: systemClock,
  });

async function list(surroundings: Surroundings, { project, json: isJson }: OfProject): Promise<void> {
  await withOperator(surroundings, async ({ accountPool: pool }) => {
    const rows = await listSigningKeys(pool, project ?? null);
    if (isJson) return surroundings.say(json(rows.map(toWire)));
    if (rows.length === 0)
      return surroundings.say('There are no signing keys yet. A project gets one at its first sign-in.');
    const lines = rows.map((row) => [row.projectId, row.kid, row.createdAt.toISOString(), stateOf(row, rows)]);
    for (const line of columns([['PROJECT', 'KEY', 'CREATED', 'STATE'], ...lines])) surroundings.say(line);
  });
}

const toWire = ({ kid, projectId, createdAt, signsFrom, withdrawnAt }: SigningKeyRow) => ({
  ...{ kid, project_id: projectId, created_at: createdAt, signs_from: signsFrom, withdrawn_at: withdrawnAt },
});

/** Of the keys of one project, newest first, the first one whose time has come signs. */
function stateOf(row: SigningKeyRow, rows: readonly SigningKeyRow[]): string {
  if (row.withdrawnAt) return 'withdrawn';
  const live = rows.filter(({ projectId, withdrawnAt }) => projectId === row.projectId && withdrawnAt === null);
  const signing = live.find(({ signsFrom }) => signsFrom.getTime() <= Date.now()) ?? live.at(-1);
  if (row === signing) return 'signs';
  return live.indexOf(row) < live.indexOf(signing ?? row) ? 'signs soon' : 'replaced';
}

async function rotateSigning(surroundings: Surroundings, { project, json: isJson }: OfProject): Promise<void> {
  await withOperator(surroundings, async (operator) => {
    const rows = await listSigningKeys(operator.accountPool, project ?? null);
    const projectIds = [...new Set(rows.map(({ projectId }) => projectId))];
    if (project !== undefined && projectIds.length === 0)
      throw new CommandError(`Project ${project} has no signing keys.`);
    const signingKeys = signingKeysOf(operator);
    const rotated: { project_id: string; kid: string }[] = [];
    for (const projectId of projectIds)
      rotated.push({ project_id: projectId, ...(await signingKeys.rotate(projectId)) });
    if (isJson) return surroundings.say(json(rotated));
    surroundings.say(
      `Published a new signing key for ${count(rotated.length)} ${rotated.length === 1 ? 'project' : 'projects'}. It signs from ` +
        'one minute from now. Tokens of the replaced key stay valid until they expire.',
    );
  });
}

async function withdraw(surroundings: Surroundings, kid: string, { json: isJson }: Json): Promise<void> {
  await withOperator(surroundings, async (operator) => {
    const done = await signingKeysOf(operator).withdraw(kid);
    if (!done) throw new CommandError(`There is no signing key ${kid}.`, exitCodes.usage);
    const { projectId, replacedBy } = done;
    if (isJson) return surroundings.say(json({ kid, project_id: projectId, replaced_by: replacedBy }));
    surroundings.say(`Withdrew the signing key ${kid} of project ${projectId}. Its tokens are rejected from now on.`);
    if (replacedBy)
      surroundings.say(`${replacedBy} signs instead. Sessions go on: clients get new tokens by themselves.`);
  });
}

async function rotateMaster(
  surroundings: Surroundings,
  { settle, json: isJson }: Json & { settle: number },
): Promise<void> {
  await withOperator(surroundings, async (operator) => {
    const { config, accountPool: pool, listener, masterKey: source } = operator;
    const isOwnFile = config.encryption.masterKey === null;
    const wrapped = await alone(pool, async () => {
      if (isOwnFile) await addMasterKey(config.dataDir);
      const rewrapped = await rotateMasterKey({
        source,
        installation: createPostgresInstallationKeyStore(pool, listener),
        tables: postgresWrappedKeys(pool),
        settleMs: settle * 1000,
        onProgress: (table, done) => {
          if (!isJson) surroundings.say(`keys.${table}: ${count(done)} wrapped`);
        },
      });
      if (isOwnFile) await dropFormerMasterKeys(config.dataDir);
      return rewrapped;
    });
    if (isJson) return surroundings.say(json({ wrapped }));
    if (wrapped === 0) {
      return surroundings.say(
        'Every key is wrapped by GATEBOOK_MASTER_KEY already. To replace it, set it to a new key and ' +
          'GATEBOOK_FORMER_MASTER_KEYS to the current one, restart every process, then run this again.',
      );
    }
    surroundings.say(
      `Wrapped ${count(wrapped)} keys by the new master key. ${
        isOwnFile
          ? 'The old one is no longer in the data folder; backups made until now still need it.'
          : 'Remove GATEBOOK_FORMER_MASTER_KEYS from every process; keep the old key with the backups made until now.'
      }`,
    );
  });
}

/** Two rotations at once would each make a new key, of which one is lost. */
async function alone<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ is_free: boolean }>('select pg_try_advisory_lock(hashtext($1)) as is_free', [
      rotationLock,
    ]);
    if (!rows[0]?.is_free) throw new CommandError('Another rotation of the master key is running.');
    return await work();
  } finally {
    // With its connection goes the lock.
    client.release(true);
  }
}

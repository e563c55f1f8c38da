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
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { addDeclareLostCommand } from './declare-lost-command.ts';
import { type Operator, withOperator } from './operator.ts';
import { columns, count, json } from './text.ts';

type Json = { json: boolean };
type OfProject = Json & { project?: string };

const rotationLock = 'gatebook master key rotation';
const settleSeconds = 31;

/** `gatebook keys …`: list, rotate and withdraw the keys that sign tokens and encrypt personal data. */
export function addKeysCommands(program: Command, context: CliContext): void {
  const keys = program.command('keys').description('list, rotate and withdraw keys');
  keys
    .command('list')
    .description('list the keys that sign access tokens, newest first')
    .option('--project <id>', 'only this project')
    .option('--json', 'print JSON', false)
    .action((options: OfProject) => list(context, options));
  const rotate = keys.command('rotate').description('replace keys while Gatebook runs');
  rotate
    .command('signing')
    .description('replace the keys that sign access tokens; nobody is signed out')
    .option('--project <id>', 'only this project')
    .option('--json', 'print JSON', false)
    .action((options: OfProject) => rotateSigning(context, options));
  rotate
    .command('master')
    .description('replace the master key and wrap every stored key with the new one')
    .option('--settle <seconds>', 'time to wait for processes that missed the notification', seconds, settleSeconds)
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nReplaces the key in the data folder. If you use GATEBOOK_MASTER_KEY, first set it to the new key, set\n' +
        'GATEBOOK_FORMER_MASTER_KEYS to the old one, and restart every process. Run the command again to continue\n' +
        'an interrupted rotation.',
    )
    .action((options: Json & { settle: number }) => rotateMaster(context, options));
  keys
    .command('withdraw')
    .description('emergency: reject all access tokens of a signing key, in all processes, immediately')
    .argument('<kid>', 'key ID from `keys list` or the header of a token')
    .option('--json', 'print JSON', false)
    .action((kid: string, options: Json) => withdraw(context, kid, options));
  addDeclareLostCommand(keys, context);
}

function seconds(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Expected a whole number of seconds.');
  return Number(text);
}

const signingKeysOf = ({ keys, accountPool: pool, listener }: Operator): SigningKeys =>
  createSigningKeys({
    masterKey: keys.master,
    store: createPostgresSigningKeyStore(pool, listener),
    now: systemClock,
  });

async function list(context: CliContext, { project, json: isJson }: OfProject): Promise<void> {
  await withOperator(context, async ({ accountPool: pool }) => {
    const rows = await listSigningKeys(pool, project ?? null);
    if (isJson) return context.print(json(rows.map(toWire)));
    if (rows.length === 0)
      return context.print('There are no signing keys yet. The first sign-in to a project creates one.');
    const lines = rows.map((row) => [row.projectId, row.kid, row.createdAt.toISOString(), stateOf(row, rows)]);
    for (const line of columns([['PROJECT', 'KEY', 'CREATED', 'STATE'], ...lines])) context.print(line);
  });
}

const toWire = ({ kid, projectId, createdAt, signsFrom, withdrawnAt }: SigningKeyRow) => ({
  kid,
  project_id: projectId,
  created_at: createdAt,
  signs_from: signsFrom,
  withdrawn_at: withdrawnAt,
});

/** The newest key of a project whose `signsFrom` has passed signs; `rows` are newest first. */
function stateOf(row: SigningKeyRow, rows: readonly SigningKeyRow[]): string {
  if (row.withdrawnAt) return 'withdrawn';
  const live = rows.filter(({ projectId, withdrawnAt }) => projectId === row.projectId && withdrawnAt === null);
  const signing = live.find(({ signsFrom }) => signsFrom.getTime() <= Date.now()) ?? live.at(-1);
  if (row === signing) return 'signs';
  return live.indexOf(row) < live.indexOf(signing ?? row) ? 'signs soon' : 'replaced';
}

async function rotateSigning(context: CliContext, { project, json: isJson }: OfProject): Promise<void> {
  await withOperator(context, async (operator) => {
    const rows = await listSigningKeys(operator.accountPool, project ?? null);
    const projectIds = [...new Set(rows.map(({ projectId }) => projectId))];
    if (project !== undefined && projectIds.length === 0)
      throw new CommandError(`Project ${project} has no signing keys.`);
    const signingKeys = signingKeysOf(operator);
    const rotated: { project_id: string; kid: string }[] = [];
    for (const projectId of projectIds)
      rotated.push({ project_id: projectId, ...(await signingKeys.rotate(projectId)) });
    if (isJson) return context.print(json(rotated));
    context.print(
      `Published a new signing key for ${count(rotated.length)} ${rotated.length === 1 ? 'project' : 'projects'}. ` +
        'It starts signing in one minute. Tokens signed by the replaced key stay valid until they expire.',
    );
  });
}

async function withdraw(context: CliContext, kid: string, { json: isJson }: Json): Promise<void> {
  await withOperator(context, async (operator) => {
    const withdrawn = await signingKeysOf(operator).withdraw(kid);
    if (!withdrawn) throw new CommandError(`There is no signing key ${kid}.`, exitCodes.usage);
    const { projectId, replacedBy } = withdrawn;
    if (isJson) return context.print(json({ kid, project_id: projectId, replaced_by: replacedBy }));
    context.print(`Withdrew signing key ${kid} of project ${projectId}. Its tokens are now rejected.`);
    if (replacedBy)
      context.print(`${replacedBy} signs instead. Sessions continue: clients refresh their tokens automatically.`);
  });
}

async function rotateMaster(context: CliContext, { settle, json: isJson }: Json & { settle: number }): Promise<void> {
  await withOperator(context, async (operator) => {
    const { config, accountPool: pool, listener, masterKey: source } = operator;
    const isOwnFile = config.encryption.masterKey === null;
    const wrapped = await withRotationLock(pool, async () => {
      if (isOwnFile) await addMasterKey(config.dataDir);
      const rewrapped = await rotateMasterKey({
        source,
        installation: createPostgresInstallationKeyStore(pool, listener),
        tables: postgresWrappedKeys(pool),
        settleMs: settle * 1000,
        onProgress: (table, done) => {
          if (!isJson) context.print(`keys.${table}: ${count(done)} wrapped`);
        },
      });
      if (isOwnFile) await dropFormerMasterKeys(config.dataDir);
      return rewrapped;
    });
    if (isJson) return context.print(json({ wrapped }));
    if (wrapped === 0) {
      return context.print(
        'All keys are already wrapped with GATEBOOK_MASTER_KEY. To replace it, set it to a new key, set ' +
          'GATEBOOK_FORMER_MASTER_KEYS to the current one, restart every process and run this command again.',
      );
    }
    context.print(
      `Wrapped ${count(wrapped)} keys with the new master key. ${
        isOwnFile
          ? 'The old key was removed from the data folder; existing backups still need it.'
          : 'Remove GATEBOOK_FORMER_MASTER_KEYS from every process. Keep the old key for existing backups.'
      }`,
    );
  });
}

/** Two concurrent rotations would each create a key, and one of the keys would be lost. */
async function withRotationLock<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ is_free: boolean }>('select pg_try_advisory_lock(hashtext($1)) as is_free', [
      rotationLock,
    ]);
    if (!rows[0]?.is_free) throw new CommandError('Another rotation of the master key is in progress.');
    return await work();
  } finally {
    // Closing the connection releases the lock.
    client.release(true);
  }
}

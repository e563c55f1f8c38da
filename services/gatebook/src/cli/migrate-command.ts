import { readConfig } from '@gatebook/runtime/config';
import { databaseRoles, giveLogins, roleNames } from '@gatebook/runtime/database-roles';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool } from '@gatebook/runtime/postgres';
import { createShutdown } from '@gatebook/runtime/shutdown';
import type { Command } from 'commander';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { openDatabase } from './operator.ts';
import { json } from './text.ts';

/** `gatebook migrate`: the migrations of a start, for deployments whose processes lack the privileges. */
export function addMigrateCommand(program: Command, context: CliContext): void {
  program
    .command('migrate')
    .description('update schemas, roles and privileges of the database')
    .option('--json', 'print JSON', false)
    .addHelpText(
      'after',
      '\nRequires the owner of the database. A role can log in if GATEBOOK_DATABASE_API_PASSWORD,\n' +
        'GATEBOOK_DATABASE_PROJECTOR_PASSWORD or GATEBOOK_DATABASE_WORKER_PASSWORD is set.',
    )
    .action((options: { json: boolean }) => migrateDatabase(context, options));
}

async function migrateDatabase({ env, print }: CliContext, options: { json: boolean }): Promise<void> {
  const config = readConfig(env);
  const { rolePrefix, passwords } = config.database;
  const wanted = databaseRoles.filter((role) => passwords[role] !== undefined);
  if (rolePrefix === null && wanted.length > 0) {
    throw new CommandError(
      'GATEBOOK_DATABASE_ROLES is off, so there are no roles to set passwords for.',
      exitCodes.usage,
    );
  }
  const shutdown = createShutdown(createLogger({ level: 'error' }));
  try {
    const { url } = await openDatabase(config, shutdown);
    const { prepareDatabase } = await import('../database/prepare.ts');
    await prepareDatabase(url, { rolePrefix, hasJobs: config.redis.url === null });
    const names = rolePrefix === null ? null : roleNames(rolePrefix);
    if (names !== null && wanted.length > 0) {
      const pool = createPool(url, { max: 1, name: 'gatebook migrate', isForLongWork: true });
      shutdown.add('pool', () => pool.end());
      await giveLogins(pool, names, passwords);
    }
    const logins = names === null ? [] : wanted.map((role) => names[role]);
    if (options.json) return print(json({ roles: names === null ? [] : Object.values(names), logins }));
    print('Schemas, roles and privileges are up to date.');
    for (const login of logins) print(`${login} can log in with its password.`);
  } finally {
    await shutdown.run();
  }
}

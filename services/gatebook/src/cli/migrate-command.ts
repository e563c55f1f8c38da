import { readConfig } from '@gatebook/runtime/config';
import { databaseRoles, giveLogins, roleNames } from '@gatebook/runtime/database-roles';
import { createLogger } from '@gatebook/runtime/logger';
import { createPool } from '@gatebook/runtime/postgres';
import { createShutdown } from '@gatebook/runtime/shutdown';
import type { Command } from 'commander';
import { openDatabase } from './operator.ts';
import { CommandError, exitCodes, type Surroundings } from './surroundings.ts';
import { json } from './text.ts';

/** `gatebook migrate`: what a start does to the database, for deployments whose processes may not do it. */
export function addMigrateCommand(program: Command, surroundings: Surroundings): void {
  program
    .command('migrate')
    .description('bring schemas, roles and privileges of the database up to date')
    .option('--json', 'JSON for programs', false)
    .addHelpText(
      'after',
      '\nNeeds the account that owns the database. Gives a role a login where GATEBOOK_DATABASE_API_PASSWORD,\n' +
        'GATEBOOK_DATABASE_PROJECTOR_PASSWORD or GATEBOOK_DATABASE_WORKER_PASSWORD is set.',
    )
    .action((options: { json: boolean }) => migrateDatabase(surroundings, options));
}

async function migrateDatabase({ env, say }: Surroundings, options: { json: boolean }): Promise<void> {
  const config = readConfig(env);
  const { rolePrefix, passwords } = config.database;
  const wanted = databaseRoles.filter((role) => passwords[role] !== undefined);
  if (rolePrefix === null && wanted.length > 0) {
    throw new CommandError('GATEBOOK_DATABASE_ROLES is off: there are no roles to give logins to.', exitCodes.usage);
  }
  const shutdown = createShutdown(createLogger({ level: 'error' }));
  try {
    const { url } = await openDatabase(config, shutdown);
    const { prepareDatabase } = await import('../database/prepare.ts');
    await prepareDatabase(url, { rolePrefix, hasJobs: config.redis.url === null });
    const names = rolePrefix === null ? null : roleNames(rolePrefix);
    if (names !== null && wanted.length > 0) {
      const pool = createPool(url, { max: 1, name: 'gatebook migrate' });
      shutdown.add('pool', () => pool.end());
      await giveLogins(pool, names, passwords);
    }
    const logins = names === null ? [] : wanted.map((role) => names[role]);
    if (options.json) return say(json({ roles: names === null ? [] : Object.values(names), logins }));
    say('Schemas, roles and privileges are up to date.');
    for (const login of logins) say(`${login} can log in with its password.`);
  } finally {
    await shutdown.run();
  }
}

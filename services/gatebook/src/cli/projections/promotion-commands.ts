import {
  discard,
  findProjectionVersion,
  findStandby,
  promoteStandby,
  rollBack,
} from '@gatebook/projections/operations/rebuilds';
import type { Command } from 'commander';
import type { CliContext } from '../cli-context.ts';
import { findGroup, withOperator } from '../operator.ts';
import { whileProjected } from '../projecting.ts';
import { groupDescription, type Json, orRejected, printEither, printPromoted } from './operations.ts';

/** `gatebook projections promote`, `rollback` and `drop` */
export function addPromotionCommands(projections: Command, context: CliContext): void {
  projections
    .command('promote')
    .description('make the standby projection version live; the old one stays up to date for a rollback')
    .argument('[group]', groupDescription, 'main')
    .option('--json', 'print JSON', false)
    .action((group: string, options: Json) => promote(context, group, options));
  projections
    .command('rollback')
    .description('make the previous projection version live again')
    .argument('[group]', groupDescription, 'main')
    .option('--json', 'print JSON', false)
    .action((group: string, options: Json) => rollback(context, group, options));
  projections
    .command('drop')
    .description('drop a projection version that is not live')
    .argument('<projection_version>', 'its name in `projections list`')
    .option('--json', 'print JSON', false)
    .action((schema: string, options: Json) => drop(context, schema, options));
}

async function promote(context: CliContext, name: string, options: Json): Promise<void> {
  await withOperator(context, async (operator) => {
    const { pool } = operator;
    const group = findGroup(operator, name);
    const schema = await orRejected(() =>
      whileProjected(operator, group, async () => {
        const standby = await findStandby(pool, group.name);
        await promoteStandby(pool, group, standby.id);
        return standby.schema;
      }),
    );
    printPromoted(context, options, group, schema);
  });
}

async function rollback(context: CliContext, name: string, options: Json): Promise<void> {
  await withOperator(context, async (operator) => {
    const group = findGroup(operator, name);
    const schema = await orRejected(() => whileProjected(operator, group, () => rollBack(operator.pool, group)));
    printEither(
      context,
      options,
      { event: 'rolled_back', projection_version: schema },
      () => `${schema} is live again for ${group.name}.`,
    );
  });
}

async function drop(context: CliContext, schema: string, options: Json): Promise<void> {
  await withOperator(context, async ({ pool }) => {
    await orRejected(async () => discard(pool, await findProjectionVersion(pool, schema)));
    printEither(context, options, { event: 'dropped', projection_version: schema }, () => `Dropped ${schema}.`);
  });
}

import type { Command } from 'commander';
import type { CliContext } from './cli-context.ts';
import { addDiffCommand } from './projections/diff-command.ts';
import { addListCommand } from './projections/list-command.ts';
import { addPromotionCommands } from './projections/promotion-commands.ts';
import { addRebuildCommand } from './projections/rebuild-command.ts';
import { addReleaseCommand } from './projections/release-command.ts';

/** `gatebook projections …` */
export function addProjectionsCommands(program: Command, context: CliContext): Command {
  const projections = program.command('projections').description('list, rebuild, compare and promote read models');
  addListCommand(projections, context);
  addRebuildCommand(projections, context);
  addDiffCommand(projections, context);
  addPromotionCommands(projections, context);
  addReleaseCommand(projections, context);
  return projections;
}

import type { PermissionExplanationView, RejectionView } from '@gatebook/contract/explanations';
import type { Command } from 'commander';
import { parseMoment } from './at-command.ts';
import type { CliContext } from './cli-context.ts';
import { describeExplanation, describeRejection } from './history-text.ts';
import { type OwnerOptions, openOwnerApi, projectOption, queryOf } from './owner-api.ts';

type WhyOptions = OwnerOptions & { team?: string; at?: string };

/** `gatebook why …` and `gatebook rejections …` */
export function addExplainCommands(program: Command, context: CliContext): void {
  program
    .command('why')
    .description('explain why a user has a permission, or does not have it, for owners')
    .argument('<user>', 'ID of the user')
    .argument('<permission>', 'ID of the permission')
    .option('--team <id>', 'team, for a permission in a team')
    .option('--at <moment>', 'explain a moment of the past: a time, or the ID of an event')
    .addOption(projectOption())
    .option('--json', 'print JSON', false)
    .action((user: string, permission: string, options: WhyOptions) => why(context, { user, permission }, options));
  program
    .command('rejections')
    .description('explain rejected requests, for owners')
    .command('show')
    .description('show why a request was rejected')
    .argument('<id>', 'ID of the request, from the header x-stack-request-id of its response')
    .addOption(projectOption())
    .option('--json', 'print JSON', false)
    .action((id: string, options: OwnerOptions) => showRejection(context, id, options));
}

async function why(
  context: CliContext,
  { user, permission }: { user: string; permission: string },
  { team, at, project, json }: WhyOptions,
): Promise<void> {
  const asOf = at === undefined ? undefined : parseMoment(at);
  const { read } = await openOwnerApi(context, project);
  const query = queryOf({ user_id: user, permission_id: permission, team_id: team, as_of: asOf });
  const explanation = await read<PermissionExplanationView>(`/internal/permission-explanations${query}`);
  if (json) return context.print(JSON.stringify(explanation));
  for (const line of describeExplanation(explanation)) context.print(line);
}

async function showRejection(context: CliContext, id: string, { project, json }: OwnerOptions): Promise<void> {
  const { read } = await openOwnerApi(context, project);
  const rejection = await read<RejectionView>(`/internal/rejections/${encodeURIComponent(id)}`);
  if (json) return context.print(JSON.stringify(rejection));
  for (const line of describeRejection(rejection)) context.print(line);
}

import type { PreviewView, UndoneView } from '@gatebook/contract/previews';
import type { Command } from 'commander';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { describePreview } from './history-text.ts';
import { type OwnerOptions, openOwnerApi, projectOption } from './owner-api.ts';

type Options = OwnerOptions & { preview: boolean; yes: boolean };

/** `gatebook undo …` */
export function addUndoCommand(program: Command, context: CliContext): void {
  program
    .command('undo')
    .description('undo everything that one request changed, as the signed-in owner')
    .argument('<action>', 'ID of the request; `audit show` shows it as the action')
    .option('--preview', 'only show what would change', false)
    .option('--yes', 'do not ask for confirmation', false)
    .addOption(projectOption())
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nThe undo is an action too: it is in the audit log, and can be undone.')
    .action((actionId: string, options: Options) => undo(context, actionId, options));
}

async function undo(context: CliContext, actionId: string, options: Options): Promise<void> {
  const { print, terminal, stopSignal } = context;
  const { read } = await openOwnerApi(context, options.project);
  const path = `/internal/actions/${encodeURIComponent(actionId)}/undo`;
  const call = { method: 'POST', path, body: {} } as const;
  const preview = await read<PreviewView>('/internal/previews', { method: 'POST', body: call });
  if (options.json && options.preview) print(JSON.stringify(preview));
  if (preview.error) throw new CommandError(describeError(preview.error));
  if (!options.json) for (const line of describePreview(preview)) print(line);
  if (options.preview) return;
  if (!options.yes && !(await terminal?.confirm('Undo this action?', stopSignal()))) {
    throw new CommandError('Nothing was changed. Use --yes to confirm.', exitCodes.notApproved);
  }
  const undone = await read<UndoneView>(path, { ...call, ...(preview.etag !== null && { ifMatch: preview.etag }) });
  if (options.json) return print(JSON.stringify(undone));
  for (const warning of undone.warnings) print(warning);
  print(`Undone by action ${undone.action_id}.`);
}

/** With the fields that have changed since. */
function describeError({ error, details }: NonNullable<PreviewView['error']>): string {
  const conflicts = (details?.conflicts ?? []) as readonly { field: string; changed_by_event_id: string | null }[];
  const lines = conflicts.map(({ field, changed_by_event_id: id }) => `  ${field}, changed by event ${id}`);
  return [error, ...lines].join('\n');
}

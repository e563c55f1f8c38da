import { resetReactor } from '@gatebook/projections/subscriptions/reset-reactor';
import { type Command, InvalidArgumentError } from 'commander';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import { withOperator } from './operator.ts';
import { count, json } from './text.ts';

type Options = { after: bigint; yes: boolean; json: boolean };

/** `gatebook reactors …` */
export function addReactorsCommands(program: Command, context: CliContext): void {
  program
    .command('reactors')
    .description('set reactors back, which send emails and complete deletions')
    .command('reset')
    .description('make a reactor process the events of the log again, after the log has lost its checkpoint')
    .argument('<reactor>', 'its name; `projections list` shows it as a subscription')
    .option('--after <position>', 'only events after this position', position, 0n)
    .option('--yes', 'do not ask for confirmation', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nA reactor repeats nothing that the log records as done: emails are not sent again.')
    .action((name: string, options: Options) => reset(context, name, options));
}

function position(text: string): bigint {
  if (!/^\d{1,18}$/.test(text)) throw new InvalidArgumentError('Expected a position of the log.');
  return BigInt(text);
}

async function reset(context: CliContext, name: string, { after, yes: isApproved, json: isJson }: Options) {
  await withOperator(context, async ({ accountPool, store }, signal) => {
    const eventId = after === 0n ? null : await store.identify(after);
    if (after > 0n && eventId === null)
      throw new CommandError(`The log has no event at position ${count(after)}.`, exitCodes.usage);
    const question = `Process all events after position ${count(after)} again with ${name}?`;
    if (!isApproved && !(await context.terminal?.confirm(question, signal)))
      throw new CommandError('Nothing was changed. Use --yes to confirm.', exitCodes.notApproved);
    if (!(await resetReactor(accountPool, name, { position: after, eventId })))
      throw new CommandError(`There is no reactor ${name}.`, exitCodes.usage);
    if (isJson) return context.print(json({ reactor: name, position: after }));
    context.print(`${name} continues after position ${count(after)}. \`projections list\` shows its progress.`);
  });
}

import type { Command } from 'commander';
import { type CliContext, CommandError, exitCodes } from './cli-context.ts';
import type { Check } from './doctor/check.ts';
import { runChecks } from './doctor/run-checks.ts';
import { columns, json } from './text.ts';

type DoctorOptions = { json: boolean; complete: boolean };

/** `gatebook doctor`: one line for each check, with advice where it failed. */
export function addDoctorCommand(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description(
      'check configuration, connections, versions, clock, lag, disk and migrations without changing anything',
    )
    .option('--complete', 'read the whole log to find lost keys, not only its oldest and newest events', false)
    .option('--json', 'print JSON', false)
    .addHelpText('after', '\nExits with 0 when every check passed, with 5 when one failed.')
    .action((options: DoctorOptions) => doctor(context, options));
}

const labels: Readonly<Record<Check['state'], string>> = { ok: 'ok', note: 'note', failed: 'FAILED' };

async function doctor(context: CliContext, options: DoctorOptions): Promise<void> {
  context.stopSignal();
  const checks = await runChecks(context, { isComplete: options.complete });
  const failed = checks.filter(({ state }) => state === 'failed').length;
  if (options.json) context.print(json({ is_healthy: failed === 0, checks }));
  else for (const line of columns(checks.map(lineOf))) context.print(line);
  if (failed > 0) throw new CommandError(`${failed} of ${checks.length} checks failed.`, exitCodes.problemFound);
}

const lineOf = ({ state, name, finding, advice }: Check) => [
  labels[state],
  name,
  advice === null ? finding : `${finding} → ${advice}`,
];

import type { Command } from 'commander';
import { type Check, type Diagnosis, examine } from './examine.ts';
import { CommandError, exitCodes, type Surroundings } from './surroundings.ts';
import { columns, json } from './text.ts';

/** `gatebook doctor`: a line for each thing that can be wrong, and what to do about it. */
export function addDoctorCommand(program: Command, surroundings: Surroundings): void {
  program
    .command('doctor')
    .description('check configuration, connections, versions, clock, lag, disk and migrations; changes nothing')
    .option('--json', 'JSON for programs', false)
    .addHelpText('after', '\nEnds with 0 when nothing is wrong, with 5 when something is.')
    .action((options: { json: boolean }) => doctor(surroundings, options));
}

const marks: Readonly<Record<Check['state'], string>> = { ok: 'ok', note: 'note', wrong: 'WRONG' };

async function doctor(surroundings: Surroundings, options: { json: boolean }): Promise<void> {
  const { say } = surroundings;
  surroundings.stopSignal();
  const diagnosis = await examine(surroundings);
  if (options.json) say(json(toJson(diagnosis)));
  else for (const line of columns(diagnosis.map(lineOf))) say(line);
  const wrong = diagnosis.filter(({ state }) => state === 'wrong').length;
  if (wrong > 0)
    throw new CommandError(`${wrong} of ${diagnosis.length} checks found something wrong.`, exitCodes.found);
}

const lineOf = ({ state, about, finding, advice }: Check) => [
  marks[state],
  about,
  advice === null ? finding : `${finding} → ${advice}`,
];

const toJson = (diagnosis: Diagnosis) => ({
  is_well: diagnosis.every(({ state }) => state !== 'wrong'),
  checks: diagnosis,
});

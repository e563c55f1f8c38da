import { errorText } from '@gatebook/js/error-text';
import { Command, CommanderError } from 'commander';
import { addDoctorCommand } from './doctor-command.ts';
import { addEventsCommands } from './events-commands.ts';
import { addKeysCommands } from './keys-commands.ts';
import { type LoginOptions, login } from './login.ts';
import { addMigrateCommand } from './migrate-command.ts';
import { addProjectionsCommands } from './projections-commands.ts';
import { logout, whoami } from './session-commands.ts';
import { CommandError, type ExitCode, exitCodes, type Surroundings } from './surroundings.ts';
import { addVerifyCommands } from './verify-commands.ts';

/** Runs one command line, without the program's own name. @returns its exit code; nothing is thrown */
export async function runCommandLine(words: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  try {
    await programOf(surroundings).parseAsync(words, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Commander has said what is wrong already; help that was asked for ends well.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    surroundings.complain(`gatebook: ${errorText(error)}`);
    return error instanceof CommandError ? error.exitCode : exitCodes.failed;
  }
}

function programOf(surroundings: Surroundings): Command {
  const output = {
    writeOut: (text: string) => surroundings.say(text.trimEnd()),
    writeErr: (text: string) => surroundings.complain(text.trimEnd()),
  };
  const program = new Command('gatebook')
    .description('Gatebook on the command line')
    .exitOverride()
    .configureOutput(output)
    .showHelpAfterError('(--help says more)');
  program
    .command('login')
    .description('sign in by approving a link in the browser')
    .option('--url <address>', 'where Gatebook runs', 'http://localhost:8102')
    .option('--project <id>', 'project to sign in to', 'internal')
    .option('--publishable-client-key <key>', "the project's key; the server tells that of its own project")
    .option('--app-url <address>', "where the project's sign-in pages are; the server's own for its own project")
    .option('--json', 'lines of JSON for programs', false)
    .action((options: LoginOptions) => login(surroundings, options));
  program
    .command('whoami')
    .description('say who is signed in')
    .option('--json', 'JSON for programs', false)
    .action((options: { json: boolean }) => whoami(surroundings, options));
  program
    .command('logout')
    .description('end the session')
    .option('--local', 'only forget it here, without asking the server', false)
    .option('--json', 'JSON for programs', false)
    .action((options: { json: boolean; local: boolean }) => logout(surroundings, options));
  addVerifyCommands(addProjectionsCommands(program, surroundings), surroundings);
  addEventsCommands(program, surroundings);
  addKeysCommands(program, surroundings);
  addDoctorCommand(program, surroundings);
  addMigrateCommand(program, surroundings);
  return program;
}

import { errorText } from '@gatebook/js/core';
import { Command, CommanderError } from 'commander';
import { version } from '../version.ts';
import { addAtCommand } from './at-command.ts';
import { addAuditCommands } from './audit-commands.ts';
import { addBackupCommand } from './backup/backup-command.ts';
import { addErasuresCommands } from './backup/erasures-commands.ts';
import { addRestoreCommand } from './backup/restore-command.ts';
import { type CliContext, CommandError, type ExitCode, exitCodes } from './cli-context.ts';
import { addDiffCommand } from './diff-command.ts';
import { addDoctorCommand } from './doctor-command.ts';
import { addEventsCommands } from './events-commands.ts';
import { addExplainCommands } from './explain-commands.ts';
import { addImportCommand } from './import-command.ts';
import { addKeysCommands } from './keys-commands.ts';
import { type LoginOptions, login } from './login.ts';
import { addMigrateCommand } from './migrate-command.ts';
import { addProjectionsCommands } from './projections-commands.ts';
import { addReactorsCommands } from './reactors-commands.ts';
import { logout, whoami } from './session-commands.ts';
import { addUndoCommand } from './undo-command.ts';
import { addUserBatchesCommands } from './user-batches-commands.ts';
import { addVerifyCommands } from './verify-commands.ts';

/** Runs one command line, without the program's name. Never throws. @returns the exit code */
export async function runCommandLine(args: readonly string[], context: CliContext): Promise<ExitCode> {
  try {
    await programOf(context).parseAsync(args, { from: 'user' });
    return exitCodes.ok;
  } catch (error) {
    // Commander has printed the error already. For --help and --version its exit code is 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    context.printError(`gatebook: ${errorText(error)}`);
    return error instanceof CommandError ? error.exitCode : exitCodes.failed;
  }
}

function programOf(context: CliContext): Command {
  const output = {
    writeOut: (text: string) => context.print(text.trimEnd()),
    writeErr: (text: string) => context.printError(text.trimEnd()),
  };
  const program = new Command('gatebook')
    .description('Gatebook on the command line')
    .version(version, '-v, --version', 'print the version')
    .exitOverride()
    .configureOutput(output)
    .showHelpAfterError('(see --help)');
  program
    .command('login')
    .description('sign in by approving a link in the browser')
    .option('--url <url>', 'URL of Gatebook', 'http://localhost:8102')
    .option('--project <id>', 'project to sign in to', 'internal')
    .option('--publishable-client-key <key>', "the project's key; not needed for project internal")
    .option('--app-url <url>', "URL of the app that has the project's sign-in pages; not needed for project internal")
    .option('--json', 'print a line of JSON for each step', false)
    .action((options: LoginOptions) => login(context, options));
  program
    .command('whoami')
    .description('show who is signed in')
    .option('--json', 'print JSON', false)
    .action((options: { json: boolean }) => whoami(context, options));
  program
    .command('logout')
    .description('sign out')
    .option('--local', 'only delete the session file; do not contact the server', false)
    .option('--json', 'print JSON', false)
    .action((options: { json: boolean; local: boolean }) => logout(context, options));
  addAtCommand(program, context);
  addAuditCommands(program, context);
  addDiffCommand(program, context);
  addExplainCommands(program, context);
  addUndoCommand(program, context);
  addUserBatchesCommands(program, context);
  addVerifyCommands(addProjectionsCommands(program, context), context);
  addReactorsCommands(program, context);
  addEventsCommands(program, context);
  addKeysCommands(program, context);
  addDoctorCommand(program, context);
  addMigrateCommand(program, context);
  addBackupCommand(program, context);
  addRestoreCommand(program, context);
  addErasuresCommands(program, context);
  addImportCommand(program, context);
  return program;
}

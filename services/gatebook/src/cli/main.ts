import { realNetwork } from '@gatebook/sdk/network';
import { runCommandLine } from './program.ts';
import { sessionFileIn } from './session-file.ts';

process.exitCode = await runCommandLine(process.argv.slice(2), {
  network: realNetwork,
  sessionFile: sessionFileIn(process.env),
  say: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
});

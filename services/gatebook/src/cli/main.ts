#!/usr/bin/env node
import { realNetwork } from '@gatebook/js/core';
import { runCommandLine } from './program.ts';
import { sessionFileIn } from './session-file.ts';
import { ownTerminal } from './terminal.ts';

const forcedExitCode = 130;
let stopping: AbortController | undefined;

/** The first Ctrl-C lets a command clean up; the second one exits immediately. */
function stopSignal(): AbortSignal {
  if (stopping) return stopping.signal;
  const controller = new AbortController();
  stopping = controller;
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(forcedExitCode);
      controller.abort();
    });
  }
  return controller.signal;
}

process.exitCode = await runCommandLine(process.argv.slice(2), {
  network: realNetwork,
  sessionFile: sessionFileIn(process.env),
  env: process.env,
  print: (line) => process.stdout.write(`${line}\n`),
  printError: (line) => process.stderr.write(`${line}\n`),
  terminal: ownTerminal(),
  stopSignal,
});

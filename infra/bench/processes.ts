import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type Started = { child: ChildProcess; stop(): Promise<void> };

/** Starts a TypeScript file in a process of its own and waits for its first line that `isReady` accepts. */
export async function startProcess(
  file: URL,
  args: readonly string[],
  env: Record<string, string>,
  isReady: (line: string) => boolean,
  nodeFlags: readonly string[] = [],
): Promise<Started & { line: string }> {
  const child = spawn(process.execPath, [...nodeFlags, file.pathname, ...args], {
    env: { ...process.env, ...env },
    // The channel closes when this process ends for any reason.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const { stdout } = child;
  if (!stdout) throw new Error('the process has no output');
  const lines: string[] = [];
  for await (const line of createInterface({ input: stdout })) {
    lines.push(line);
    if (!isReady(line)) continue;
    stdout.resume();
    return { child, line, stop: () => stop(child) };
  }
  throw new Error(`${file.pathname} exited before it was ready:\n${lines.join('\n')}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

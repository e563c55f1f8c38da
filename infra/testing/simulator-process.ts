import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../services/eventlog/src/eventstoredb/simulator-main.ts', import.meta.url));

export type SimulatorProcess = { child: ChildProcess; url: string; kill(): Promise<void> };

/** Starts the EventStoreDB simulator in a new process. It stores its log in `file`. */
export async function startSimulatorProcess({ port, file }: { port: number; file: string }): Promise<SimulatorProcess> {
  const child = spawn(process.execPath, [main, String(port), file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) if (line.includes('esdb://')) break;
  return {
    child,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

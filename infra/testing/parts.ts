import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@gatebook/runtime/free-port';

export type Part = {
  role: 'api' | 'projector' | 'worker';
  /** URL of the API, or of the health endpoint of other roles. */
  url: string;
  /** Sends SIGTERM, as a container runtime does. @returns the exit code */
  stop(): Promise<number | null>;
  /** After `SIGKILL`, resolves when the process has exited. */
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  isReady(): Promise<boolean>;
  isLeading(): Promise<boolean>;
  /** Standard output and standard error. */
  output(): string;
};

const main = fileURLToPath(new URL('../../services/gatebook/src/main.ts', import.meta.url));

/** Starts one role in a new process. @throws Error with its output when it does not start */
export async function startPart(role: Part['role'], settings: Readonly<Record<string, string>>): Promise<Part> {
  const port = String(await findFreePort());
  const child = spawn(process.execPath, [main, role], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      GATEBOOK_HOST: '127.0.0.1',
      ...(role === 'api' ? { GATEBOOK_PORT: port } : { GATEBOOK_HEALTH_PORT: port }),
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit');
  const output: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  for await (const line of createInterface({ input: child.stdout })) {
    output.push(`${line}\n`);
    if (line.includes('is running')) break;
  }
  if (child.exitCode !== null || !output.some((text) => text.includes('is running'))) {
    await exited;
    throw new Error(`Gatebook ${role} ended with ${child.exitCode}: ${output.join('')}`);
  }
  child.stdout.resume();
  const url = `http://127.0.0.1:${port}`;
  const ready = async () => {
    const answer = await fetch(`${url}/health/ready`);
    return { isOk: answer.ok, ...((await answer.json()) as { is_leading?: boolean }) };
  };
  return {
    role,
    url,
    stop: async () => {
      child.kill('SIGTERM');
      const [code] = (await exited) as [number | null];
      return code;
    },
    signal: async (name) => {
      child.kill(name);
      if (name === 'SIGKILL') await exited;
    },
    isReady: async () => (await ready()).isOk,
    isLeading: async () => (await ready()).is_leading ?? false,
    output: () => output.join(''),
  };
}

/** Starts Redis on a free loopback port, without persistence. @returns null if it is not installed */
export async function startRedis(): Promise<{ url: string; close(): Promise<void> } | null> {
  const port = await findFreePort();
  const server: ChildProcess = spawn('redis-server', ['--port', String(port), '--save', '', '--bind', '127.0.0.1'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const failed = once(server, 'error').then(() => null);
  const exited = once(server, 'exit').catch(() => undefined);
  if (!server.stdout) return null;
  const ready = (async () => {
    for await (const line of createInterface({ input: server.stdout ?? process.stdin })) {
      if (line.includes('Ready to accept connections')) return true;
    }
    return null;
  })();
  if ((await Promise.race([ready, failed])) === null) return null;
  server.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    close: async () => {
      server.kill();
      await exited;
    },
  };
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@gatebook/runtime/free-port';

export type Product = {
  child: ChildProcess;
  url: string;
  /** Token of the setup link; null if there is an owner. */
  setupToken: string | null;
  /** Lines that it printed until it was ready. */
  printed: readonly string[];
  /** What it has logged so far. */
  logged: readonly string[];
  /** Sends SIGINT, as Ctrl-C does. @returns the exit code */
  stop(): Promise<number | null>;
  /** Kills all processes, including the database, as a power failure would. */
  kill(): Promise<void>;
};

export const internalKeys = {
  client: 'pck_test000000000000000000000000000000000000000000',
  server: 'ssk_test000000000000000000000000000000000000000000',
  admin: 'sak_test000000000000000000000000000000000000000000',
} as const;

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Options of Node that `npm start` and the image use, for less memory (docs/decisions/0091). */
export const nodeOptions = ['--max-semi-space-size=8', '--heap-growing-percent=40'] as const;
export const main = join(root, 'services/gatebook/src/main.ts');
/** `npm start` on an installation that is up to date. */
export const npmStart = ['npm', 'start', '--ignore-scripts'] as const;

/** Starts Gatebook in a new process, as `npm start` does. @throws Error with its output when it does not start */
export async function startProduct(
  settings: Readonly<Record<string, string>>,
  [program, ...args]: readonly [string, ...string[]] = [process.execPath, ...nodeOptions, main],
): Promise<Product> {
  const port = settings.GATEBOOK_PORT ?? String(await findFreePort());
  const child = spawn(program, args, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      GATEBOOK_PORT: port,
      GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY: internalKeys.client,
      GATEBOOK_INTERNAL_SECRET_SERVER_KEY: internalKeys.server,
      GATEBOOK_INTERNAL_SUPER_SECRET_ADMIN_KEY: internalKeys.admin,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const exited = once(child, 'exit');
  const logged: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => logged.push(chunk.toString()));
  const printed: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    printed.push(line);
    if (line.includes('Ctrl-C')) break;
  }
  if (child.exitCode !== null || !printed.some((line) => line.includes('Ctrl-C'))) {
    await exited;
    throw new Error(`Gatebook ended with ${child.exitCode}: ${logged.join('')}`);
  }
  child.stdout.resume();
  return {
    child,
    url: `http://localhost:${port}`,
    setupToken: /setup\?token=([a-z0-9]+)/.exec(printed.join('\n'))?.[1] ?? null,
    printed,
    logged,
    stop: async () => {
      child.kill('SIGINT');
      const [code] = (await exited) as [number | null];
      return code;
    },
    kill: async () => {
      await killWithDescendants(child);
      await exited;
    },
  };
}

/** The embedded database is in a separate process group, so kill that too. */
async function killWithDescendants({ pid }: ChildProcess): Promise<void> {
  if (pid === undefined) return;
  const postgres = await childrenOf(pid);
  for (const target of [-pid, ...postgres.map((id) => -id)]) {
    try {
      process.kill(target, 'SIGKILL');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const list = spawn('ps', ['-o', 'pid=', '--ppid', String(pid)], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  list.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  await once(list, 'close');
  return text
    .split('\n')
    .map(Number)
    .filter((id) => id > 0);
}

/** Calls the API with the keys of project `internal`. @throws Error with the response when it is an error */
export const adminOf =
  (product: () => Pick<Product, 'url'>) =>
  async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    const answer = await fetch(`${product().url}/api/v1${path}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'x-stack-access-type': 'admin',
        'x-stack-project-id': 'internal',
        'x-stack-publishable-client-key': internalKeys.client,
        'x-stack-secret-server-key': internalKeys.server,
        'x-stack-super-secret-admin-key': internalKeys.admin,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as Answer;
  };

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A clone of the repository whose packages are installed, or a program that reads settings from its environment. */
export type ServerLocation = string | { command: readonly [program: string, ...args: string[]]; folder?: string };
type Settings = Readonly<Record<string, string>>;

export type ServerProcess = { url: string; stop(): Promise<void> };

const main = 'services/gatebook/src/main.ts';
const startDeadlineMs = 120_000;
const pollMs = 50;

/** Starts Gatebook on a free port, with its database in a temporary folder. @throws Error with its output if it ends */
export async function startServer(location: ServerLocation | undefined, settings: Settings): Promise<ServerProcess> {
  const { program, args, cwd } = commandOf(location ?? findServer());
  const folder = await mkdtemp(join(tmpdir(), 'gatebook-testing-'));
  // For root, Postgres runs as another account, which has to reach its data.
  await chmod(folder, 0o711);
  const port = String(await findFreePort());
  const url = `http://localhost:${port}`;
  const child = spawn(program, args, {
    cwd,
    env: { ...ownEnvironment(), GATEBOOK_DATA_DIR: join(folder, 'data'), GATEBOOK_PORT: port, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = createStop(child, folder);
  try {
    await waitUntilReady(child, url);
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, stop };
}

/** Variables of the test itself, such as the URL of another Gatebook, are not settings of this one. */
const ownEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(GATEBOOK_|REDIS_URL$|OTEL_|NODE_OPTIONS$|NODE_ENV$|VITEST)/.test(name),
    ),
  );

/** The folder in `GATEBOOK_SERVER`, or the nearest folder above that is a clone. @throws Error if there is none */
function findServer(): string {
  if (process.env.GATEBOOK_SERVER) return process.env.GATEBOOK_SERVER;
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    if (existsSync(join(folder, main))) return folder;
    if (folder === dirname(folder)) break;
  }
  throw new Error(
    'No Gatebook server found. Clone the repository, run `npm ci` in it, and pass its folder as `server` or in the environment variable GATEBOOK_SERVER.',
  );
}

function commandOf(location: ServerLocation): { program: string; args: readonly string[]; cwd: string } {
  if (typeof location === 'object') {
    const [program, ...args] = location.command;
    return { program, args, cwd: location.folder ?? process.cwd() };
  }
  const cwd = resolve(location);
  if (!existsSync(join(cwd, main))) throw new Error(`${cwd} is not a clone of Gatebook: it has no ${main}.`);
  // A clone installs the Node.js version that it runs on, where there is one.
  const node = join(cwd, 'node_modules/.bin/node');
  return { program: existsSync(node) ? node : process.execPath, args: [join(cwd, main)], cwd };
}

/** What it ended with; null while it runs. A process that was killed has no exit code. */
const endOf = ({ exitCode, signalCode }: ChildProcess): number | string | null => exitCode ?? signalCode;

async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  const output: string[] = [];
  const streams = [child.stdout, child.stderr];
  for (const stream of streams) stream?.on('data', (data: Buffer) => output.push(data.toString()));
  let failure: Error | null = null;
  child.once('error', (error) => {
    failure = error;
  });
  for (const end = performance.now() + startDeadlineMs; performance.now() < end; await pause(pollMs)) {
    if (failure) throw failure;
    if (endOf(child) !== null) throw new Error(`Gatebook ended with ${endOf(child)}: ${output.join('')}`);
    const isReady = await fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) {
      // Nobody reads what follows, so it is not kept.
      for (const stream of streams) stream?.removeAllListeners('data').resume();
      return;
    }
  }
  throw new Error(`Gatebook was not ready in ${startDeadlineMs / 1000} s: ${output.join('')}`);
}

/** Also stops the server if the tests end without stopping it. */
function createStop(child: ChildProcess, folder: string): () => Promise<void> {
  const interrupt = () => child.kill('SIGINT');
  process.once('exit', interrupt);
  let stopped: Promise<void> | null = null;
  return () => {
    stopped ??= (async () => {
      process.off('exit', interrupt);
      if (child.pid !== undefined && endOf(child) === null) {
        const exited = once(child, 'exit');
        interrupt();
        await exited;
      }
      await rm(folder, { recursive: true, force: true });
    })();
    return stopped;
  };
}

function findFreePort(): Promise<number> {
  return new Promise((found, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => found(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

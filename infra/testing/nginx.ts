import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '@gatebook/runtime/free-port';

const isInstalled = spawnSync('nginx', ['-v']).error === undefined;
/** Why tests behind nginx are skipped; null if they run. */
export const noNginx = isInstalled ? null : 'nginx is not installed';
if (noNginx !== null && process.env.REQUIRE_NGINX) throw new Error(`REQUIRE_NGINX is set, but ${noNginx}`);

export type Nginx = { url: string; close(): Promise<void> };

/** nginx in front of a server, with its defaults: it buffers answers and speaks HTTP/1.0 to the server. */
export async function startNginx(target: string): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'gatebook-nginx-'));
  const port = await findFreePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${join(folder, name)};`,
  );
  const text = `daemon off; pid ${join(folder, 'pid')}; error_log stderr;
    events {}
    http {
      access_log off; ${temporary.join(' ')}
      server { listen 127.0.0.1:${port}; location / { proxy_pass ${target}; } }
    }`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, text);
  const child = spawn('nginx', ['-e', 'stderr', '-c', file], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await untilItAnswers(url, child);
  return {
    url,
    close: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilItAnswers(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const isUp = await fetch(url).then(
      () => true,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`nginx ended with ${child.exitCode}`);
}

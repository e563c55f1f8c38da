import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { signInByPassword } from '../../../infra/testing/browser-product.ts';
import { ann, test } from './fixture.ts';

const cli = fileURLToPath(new URL('../../../services/gatebook/src/cli/main.ts', import.meta.url));

type Terminal = { lines: AsyncIterator<string>; ended: Promise<number | null> };

/** Starts the CLI with its own configuration in a folder. */
function startCli(configFolder: string, words: readonly string[]): Terminal {
  const child = spawn(process.execPath, [cli, ...words], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      XDG_CONFIG_HOME: configFolder,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { lines: createInterface({ input: child.stdout })[Symbol.asyncIterator](), ended };
}

async function readJson({ lines }: Terminal): Promise<Record<string, unknown>> {
  const { value } = await lines.next();
  return JSON.parse(value ?? 'null');
}

export function testCliLogin(): void {
  test('approve a CLI login that shows the same code', async ({
    installation: { folder, product },
    page,
    open,
    waitForTitle,
    press,
    signOut,
    asServer,
  }) => {
    const configFolder = join(folder, 'config');
    const gatebook = (...words: string[]) => startCli(configFolder, words);
    await signOut();
    const terminal = gatebook('login', '--json', '--url', product.url);
    const { link, code_ends_in: ending } = await readJson(terminal);
    expect(String(link)).toMatch(new RegExp(`${ending}$`));
    await page.goto(String(link));
    await waitForTitle('Sign in');
    await signInByPassword(page, ann);
    await waitForTitle('Approve CLI login?');
    await page.getByText(String(ending), { exact: true }).waitFor();
    await page.getByText('Gatebook Dashboard').waitFor();
    await page.getByText(ann.email).waitFor();
    await press('Approve');
    await waitForTitle('Your terminal is signed in');
    expect(await readJson(terminal)).toMatchObject({ event: 'signed_in', user: { primary_email: ann.email } });
    expect(await terminal.ended).toBe(0);

    const who = gatebook('whoami', '--json');
    expect(await readJson(who)).toMatchObject({ project_id: 'internal', user: { primary_email: ann.email } });
    expect(await who.ended).toBe(0);
    const { refreshToken } = JSON.parse(await readFile(join(configFolder, 'gatebook/session.json'), 'utf8'));
    expect(await gatebook('logout').ended).toBe(0);
    expect(await gatebook('whoami').ended).toBe(3);
    expect((await asServer('/auth/sessions/current/refresh', { 'x-stack-refresh-token': refreshToken })).status).toBe(
      401,
    );
    // The browser has its own session.
    await open('/projects');
    await waitForTitle('Projects');
  });
}

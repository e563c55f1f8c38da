import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess } from './processes.ts';

/** Gatebook in a process of its own, as `npm start` runs it, with sign-up on `internal` open and no rate limits. */
export type Product = {
  url: string;
  clientHeaders: Record<string, string>;
  signUp(email: string): Promise<{ accessToken: string; refreshToken: string }>;
  refreshForm(refreshToken: string): string;
  stop(): Promise<void>;
};

export const benchPassword = 'a password for the bench';
const clientKey = 'pck_bench000000000000000000000000000000000000000000';

export async function startProduct(port: number): Promise<Product> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatebook-bench-'));
  const url = `http://localhost:${port}`;
  const { stop } = await startProcess(
    new URL('../../services/gatebook/src/main.ts', import.meta.url),
    [],
    {
      GATEBOOK_DATA_DIR: dataDir,
      GATEBOOK_PORT: String(port),
      GATEBOOK_PUBLIC_URL: url,
      GATEBOOK_RATE_LIMITS: 'off',
      GATEBOOK_INTERNAL_SIGN_UP: 'open',
      GATEBOOK_INTERNAL_PUBLISHABLE_CLIENT_KEY: clientKey,
      GATEBOOK_LOG_LEVEL: 'warn',
    },
    (line) => line.includes(url),
  );
  const clientHeaders = {
    'x-stack-access-type': 'client',
    'x-stack-project-id': 'internal',
    'x-stack-publishable-client-key': clientKey,
  };
  return {
    url,
    clientHeaders,
    signUp: async (email) => {
      const answer = await fetch(`${url}/api/v1/auth/password/sign-up`, {
        method: 'POST',
        headers: { ...clientHeaders, 'content-type': 'application/json' },
        body: JSON.stringify({
          email,
          password: benchPassword,
          verification_callback_url: `${url}/handler/email-verification`,
        }),
      });
      if (answer.status !== 200) throw new Error(`sign-up answered ${answer.status}: ${await answer.text()}`);
      const tokens = (await answer.json()) as { access_token: string; refresh_token: string };
      return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
    },
    refreshForm: (refreshToken) =>
      new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: refreshToken,
        client_id: 'internal',
        client_secret: clientKey,
      }).toString(),
    stop: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

import { rm } from 'node:fs/promises';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, startProduct } from '../testing/product.ts';

/** Gatebook in a separate process, as `npm start` runs it, with sign-up on `internal` open and no rate limits. */
export type BenchProduct = {
  url: string;
  pid: number;
  clientHeaders: Record<string, string>;
  signUp(email: string): Promise<{ accessToken: string; refreshToken: string }>;
  stop(): Promise<void>;
};

const benchPassword = 'a password for the bench';

export async function startBenchProduct(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchProduct> {
  const dataDir = await makePassableFolder('gatebook-bench-');
  const { child, url, stop } = await startProduct({
    GATEBOOK_DATA_DIR: dataDir,
    GATEBOOK_DATABASE_URL: databaseUrl,
    GATEBOOK_RATE_LIMITS: 'off',
    GATEBOOK_INTERNAL_SIGN_UP: 'open',
    GATEBOOK_LOG_LEVEL: 'warn',
    ...settings,
  });
  const clientHeaders = {
    'x-stack-access-type': 'client',
    'x-stack-project-id': 'internal',
    'x-stack-publishable-client-key': internalKeys.client,
  };
  return {
    url,
    pid: child.pid ?? 0,
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
    stop: async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

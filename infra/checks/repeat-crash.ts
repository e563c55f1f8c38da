import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from '@gatebook/runtime/pause';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { internalKeys, type Product, startProduct } from '../testing/product.ts';

export type RepeatReport = {
  /** Acknowledged writes, and the others: open or not yet sent. */
  answered: number;
  open: number;
  /** Open writes that were executed but whose response was lost. */
  lost: number;
  /** Violations of the guarantees, as messages. */
  faults: string[];
};

const atOnce = 16;
/** An idempotency key without a response is released after a minute. */
const patienceMs = 90_000;

/**
 * Creates users without an email, so that only the idempotency key identifies a request. Kills all processes after
 * `killAfter` responses, restarts, and repeats all requests with the same keys. Takes about a minute.
 */
export async function repeatAfterCrash(input: { writes: number; killAfter: number }): Promise<RepeatReport> {
  const folder = await makePassableFolder('gatebook-repeat-');
  const settings = { GATEBOOK_DATA_DIR: join(folder, 'data'), GATEBOOK_RATE_LIMITS: 'off' };
  try {
    const names = Array.from({ length: input.writes }, (_, n) => `user ${n}`);
    const first = await writeUntilKilled(await startProduct(settings), [...names], input.killAfter);
    const product = await startProduct(settings);
    try {
      const faults: string[] = [];
      let lost = 0;
      const repeat = async (name: string) => {
        const before = first.get(name);
        const { status, text } = await createPatiently(product, name);
        if (before !== undefined && text !== before) faults.push(`${name}: "${text}" instead of "${before}"`);
        if (before === undefined && status === 409) lost += 1;
        else if (status !== 201) faults.push(`${name}: ${status} ${text}`);
      };
      await inTurns(names, repeat);
      const made = await listNames(product);
      for (const name of names) {
        const times = made.filter((other) => other === name).length;
        if (times !== 1) faults.push(`${name} is there ${times} times`);
      }
      return { answered: first.size, open: names.length - first.size, lost, faults };
    } finally {
      await product.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @returns the responses that arrived */
async function writeUntilKilled(product: Product, names: string[], killAfter: number): Promise<Map<string, string>> {
  const answers = new Map<string, string>();
  let killed: Promise<void> | undefined;
  await inTurns(names, async (name) => {
    if (killed) return;
    const answer = await create(product, name).catch(() => null);
    if (answer?.status === 201) answers.set(name, answer.text);
    if (answers.size >= killAfter) killed ??= product.kill();
  });
  await (killed ?? product.kill());
  return answers;
}

async function inTurns(names: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  const waiting = [...names];
  const worker = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await work(name);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Retries as the response says. */
async function createPatiently(product: Product, name: string) {
  const until = Date.now() + patienceMs;
  for (;;) {
    const answer = await create(product, name);
    if (answer.retryAfter === null || Date.now() > until) return answer;
    await pause(Number(answer.retryAfter) * 1000);
  }
}

const asServer = {
  'x-stack-access-type': 'server',
  'x-stack-project-id': 'internal',
  'x-stack-secret-server-key': internalKeys.server,
};

async function create({ url }: Product, name: string) {
  const answer = await fetch(`${url}/api/v1/users`, {
    method: 'POST',
    headers: { ...asServer, 'content-type': 'application/json', 'idempotency-key': name.replace(' ', '-') },
    body: JSON.stringify({ display_name: name }),
  });
  return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') };
}

async function listNames({ url }: Product): Promise<(string | null)[]> {
  const answer = await fetch(`${url}/api/v1/users`, { headers: asServer });
  if (!answer.ok) throw new Error(`the list of users answered ${answer.status}`);
  const { items } = (await answer.json()) as { items: { display_name: string | null }[] };
  return items.map((user) => user.display_name);
}

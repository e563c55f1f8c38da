import { availableParallelism } from 'node:os';
import { hash } from '@node-rs/argon2';
import { answersPerSecond, inTurn } from './load.ts';
import { type BenchProduct, benchPassword } from './product.ts';
import type { Result } from './report.ts';

/** The product hashes on all cores but one (architecture §7), so the bare rate is taken at the same width. */
const width = Math.max(1, availableParallelism() - 1);
const parameters = { memoryCost: 19 * 1024, timeCost: 2, parallelism: 1 };
const seconds = 5;

/** Password sign-ins per second against bare argon2id hashes per second of this machine. */
export async function benchSignIn(product: BenchProduct): Promise<Result> {
  const email = 'sign-in@bench.example';
  await product.signUp(email);
  const signIns = () =>
    answersPerSecond(
      {
        url: `${product.url}/api/v1/auth/password/sign-in`,
        method: 'POST',
        headers: { ...product.clientHeaders, 'content-type': 'application/json' },
        body: JSON.stringify({ email, password: benchPassword }),
      },
      { connections: 8, seconds },
    );
  const { first, second } = await inTurn(3, signIns, bareHashesPerSecond);
  return {
    name: 'password sign-in, 8 connections',
    gatebook: first,
    reference: second,
    referenceName: `argon2id alone (19 MiB, t=2, p=1), ${width} at a time`,
    unit: 'per s',
    aim: { ratio: 0.9 },
  };
}

async function bareHashesPerSecond(): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let hashes = 0;
  const hashInTurn = async () => {
    while (performance.now() < end) {
      await hash(benchPassword, parameters);
      hashes += 1;
    }
  };
  await Promise.all(Array.from({ length: width }, hashInTurn));
  return hashes / seconds;
}

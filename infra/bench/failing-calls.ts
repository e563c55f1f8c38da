import { setTimeout as pause } from 'node:timers/promises';
import { historyKeys, historyProject } from './history-log.ts';
import { type Call, callAtRate, type Origin, openConnection, toMessage } from './load.ts';

export const password = 'correct horse battery staple';
const addresses = 1_000;
/** That many accounts are tried, of which every other one exists. */
export const accounts = 40;
/** 100,000 in five minutes. */
export const failuresPerSecond = 333;
/** A share of what one core hashes, so that queues do not decide. */
const signInsPerSecond = 10;
/** Of people and of attackers. */
const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36';

type Body = { email: string; password: string };
const signInCall = (body: Body, address: string): Call => ({
  method: 'POST',
  path: '/auth/password/sign-in',
  headers: {
    'content-type': 'application/json',
    'x-stack-access-type': 'client',
    'x-stack-project-id': historyProject,
    'x-stack-publishable-client-key': historyKeys.client,
    'x-forwarded-for': address,
    'user-agent': userAgent,
  },
  body: JSON.stringify(body),
});

const accountOf = (n: number) => `${n % 2 === 0 ? 'known' : 'unknown'}${n % accounts}@tried.example`;
const attackerOf = (n: number) => `10.${Math.floor((n % addresses) / 250)}.${n % 250}.1`;
const people = Array.from({ length: 20 }, (_, n) => `person${n}@signs-in.example`);
/** Addresses of the users who have a password: those who sign in, and those who are tried. */
export const usersWithPassword: readonly string[] = [
  ...people,
  ...Array.from({ length: accounts }, (_, n) => n)
    .filter((n) => n % 2 === 0)
    .map(accountOf),
];

let signedIn = 0;
/** Users sign in in turn, each from their own address. */
const signIn = (): Call => {
  signedIn += 1;
  const nth = signedIn % people.length;
  return signInCall({ email: people[nth] ?? '', password }, `203.0.113.${nth + 1}`);
};

/** @returns the time of each answer in ms */
export const signInsFor = async (origin: Origin, ms: number): Promise<readonly number[]> =>
  (await callAtRate({ origin, nextCall: signIn }, signInsPerSecond, ms)).times;

/** Most are over the limits of these accounts, so they are rejected without a hash. */
export const failedCall = (n: number): Call => signInCall({ email: accountOf(n), password: 'wrong' }, attackerOf(n));

let strangers = 0;
/** Each is hashed, if the machine can hash that many. */
const failedCallOfStranger = (n: number): Call => {
  strangers += 1;
  return signInCall({ email: `stranger${strangers}@tried.example`, password: 'wrong' }, attackerOf(n));
};

const nextCalls = { few: failedCall, 'ever new': failedCallOfStranger } as const;
/** `accounts`: which are tried. */
export type Attack = { origin: Origin; accounts: keyof typeof nextCalls; ms: number };

/** Sends each at its time, whether or not earlier ones are answered. @throws Error if they were sent more slowly */
export async function failAtRate({ origin, accounts, ms }: Attack): Promise<void> {
  const idle: Awaited<ReturnType<typeof openConnection>>[] = [];
  const answers: Promise<void>[] = [];
  const fail = async (n: number): Promise<void> => {
    const connection = idle.pop() ?? (await openConnection(origin));
    await connection.send(toMessage(origin, nextCalls[accounts](n)));
    idle.push(connection);
  };
  const start = performance.now();
  while (performance.now() - start < ms) {
    const due = ((performance.now() - start) * failuresPerSecond) / 1000;
    while (answers.length < due) answers.push(fail(answers.length));
    await pause(1);
  }
  const perSecond = (answers.length * 1000) / (performance.now() - start);
  await Promise.all(answers);
  for (const connection of idle) connection.close();
  if (perSecond < failuresPerSecond / 2) throw new Error(`only ${perSecond.toFixed(0)} sign-ins per second were sent`);
}

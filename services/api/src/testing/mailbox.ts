import type { EmailType } from '@gatebook/domain/email/events';
import { expect } from 'vitest';
import type { TestApi } from './api.ts';

type Requested = {
  emailId: string;
  emailType: EmailType;
  recipient: string | null;
  userId: string | null;
  variables: Record<string, string> | null;
  language: string | null;
};

/** The newest mail that was asked for to an address, as the worker would find it, with the code of its link. */
export async function mailTo({ deps }: Pick<TestApi, 'deps'>, address: string) {
  const events = await deps.store.readAll(0n, 100_000);
  const mails = events.filter(({ type }) => type === 'EmailRequested').map(({ data }) => data as unknown as Requested);
  const mail = mails.findLast(({ recipient }) => recipient === address);
  if (!mail) return expect.fail(`no mail to ${address} was asked for`);
  const [link = ''] = Object.entries(mail.variables ?? {}).flatMap(([name, value]) =>
    /Link$/.test(name) ? [value] : [],
  );
  return { ...mail, link, code: new URL(link).searchParams.get('code') ?? '' };
}

export async function countMailsTo({ deps }: Pick<TestApi, 'deps'>, address: string): Promise<number> {
  const events = await deps.store.readAll(0n, 100_000);
  return events.filter(({ type, data }) => type === 'EmailRequested' && data.recipient === address).length;
}

import { defineEvents, type EventOf } from '@gatebook/domain/event';
import { increment, insert, type Projection } from '@gatebook/projections/changes';
import { defineProjectionGroup } from '@gatebook/projections/projection-group';
import { z } from 'zod';

const accountId = z.string();
const cents = z.int().positive();

/** The facts. The owner's name is encrypted under a key of the account; destroying the key erases the name. */
export const events = defineEvents({
  AccountOpened: {
    version: 1,
    data: z.object({ accountId, owner: z.string().nullable() }),
    personal: { subject: 'accountId', fields: ['owner'] },
  },
  MoneyDeposited: { version: 1, data: z.object({ accountId, cents }) },
  MoneyWithdrawn: { version: 1, data: z.object({ accountId, cents }) },
});
export type AccountEvent = EventOf<typeof events>;

/** The state that the rules need; null before the account is opened. */
export type Account = { balance: number } | null;

export function evolve(account: Account, event: AccountEvent): Account {
  if (event.type === 'AccountOpened') return { balance: 0 };
  const change = event.type === 'MoneyDeposited' ? event.data.cents : -event.data.cents;
  return { balance: (account?.balance ?? 0) + change };
}

/** The rules: each command turns the state into events, or rejects. */
export const commands = {
  open: (accountId: string, owner: string) => (account: Account) => {
    if (account) throw new Error('The account is already open.');
    return [{ type: 'AccountOpened', data: { accountId, owner } }] satisfies AccountEvent[];
  },
  deposit: (accountId: string, cents: number) => (account: Account) => {
    if (!account) throw new Error('The account is not open.');
    return [{ type: 'MoneyDeposited', data: { accountId, cents } }] satisfies AccountEvent[];
  },
  withdraw: (accountId: string, cents: number) => (account: Account) => {
    if (!account) throw new Error('The account is not open.');
    if (account.balance < cents) throw new Error('The balance is too low.');
    return [{ type: 'MoneyWithdrawn', data: { accountId, cents } }] satisfies AccountEvent[];
  },
};

const accounts: Projection<AccountEvent> = {
  AccountOpened: ({ data }) => [insert('accounts', { id: data.accountId, owner: data.owner, balance: 0 })],
  MoneyDeposited: ({ data }) => [increment('accounts', { id: data.accountId }, { balance: data.cents })],
  MoneyWithdrawn: ({ data }) => [increment('accounts', { id: data.accountId }, { balance: -data.cents })],
};

/** The read model: a table with one row per account. */
export const bank = defineProjectionGroup({
  name: 'bank',
  version: 1,
  catalog: events,
  tables: [
    {
      name: 'accounts',
      columns: { id: { type: 'text' }, owner: { type: 'text', isNullable: true }, balance: { type: 'integer' } },
      key: ['id'],
    },
  ],
  projections: [accounts],
});

import { commands } from './account.ts';
import { openBank } from './bank.ts';

const dollars = (cents = 0) => `$${(cents / 100).toFixed(2)}`;

/** Opens an account, moves money, breaks a rule, rebuilds the table and erases a person. */
export async function tour(databaseUrl: string, print: (line: string) => void): Promise<void> {
  const bank = await openBank(databaseUrl);
  try {
    await bank.execute('1', commands.open('1', 'Ann'));
    const deposited = await bank.execute('1', commands.deposit('1', 12_000));
    print(`after the deposit: ${dollars((await bank.readAccount('1', deposited))?.balance)}`);

    await bank.execute('1', commands.withdraw('1', 50_000)).catch((error: Error) => print(error.message));
    const withdrawn = await bank.execute('1', commands.withdraw('1', 3_000));
    print(`after the withdrawal: ${dollars((await bank.readAccount('1', withdrawn))?.balance)}`);

    await bank.pool.query(`update ${bank.schema()}.accounts set balance = 1000000`);
    print(`after somebody edited the table: ${dollars((await bank.readAccount('1'))?.balance)}`);
    await bank.rebuild();
    print(`after the rebuild: ${dollars((await bank.readAccount('1'))?.balance)}`);

    await bank.eraseOwner('1');
    await bank.rebuild();
    print(`owner after the erasure: ${(await bank.readAccount('1'))?.owner}`);
  } finally {
    await bank.close();
  }
}

import { constants, setPriority } from 'node:os';
import { type Attack, failAtRate } from './failing-calls.ts';

/** Fails to sign in as told, with what CPU is left: an attacker uses that of other machines. */
setPriority(constants.priority.PRIORITY_LOW);
process.on('message', async (attack: Attack) => {
  await failAtRate(attack);
  process.send?.('done');
});
process.once('SIGTERM', () => process.exit());
process.once('disconnect', () => process.exit());
process.stdout.write('ready\n');

import { crashOnce } from './crash.ts';
import { repeatAfterCrash } from './repeat-crash.ts';

/**
 * `npm run check:crash -- [rounds]`: in each round, kills the product during 200 sign-ups and during 400 writes with
 * idempotency keys, which are then repeated.
 */
const rounds = Number(process.argv[2] ?? 3);
const signUps = 200;
const writes = 400;
const someOf = (count: number) => 1 + Math.floor(Math.random() * (count - 1));

let faults = 0;
function report(line: string, found: readonly string[]): void {
  faults += found.length;
  process.stdout.write(`${line}; ${found.length} faults\n`);
  for (const fault of found) process.stdout.write(`  ${fault}\n`);
}

for (let round = 1; round <= rounds; round += 1) {
  const killAfter = someOf(signUps);
  const crash = await crashOnce({ signUps, killAfter });
  report(
    `round ${round}: killed after ${killAfter} answers; ${crash.answered} answered, ${crash.open} open ` +
      `(${crash.openButRecorded} recorded), ${crash.unsent} unsent`,
    crash.faults,
  );
  const repeatKillAfter = someOf(writes);
  const repeat = await repeatAfterCrash({ writes, killAfter: repeatKillAfter });
  report(
    `round ${round}: killed after ${repeatKillAfter} writes with a key; ${repeat.answered} answered and repeated, ` +
      `${repeat.open} done now (${repeat.lost} done before, answer lost)`,
    repeat.faults,
  );
}
process.exit(faults === 0 ? 0 : 1);

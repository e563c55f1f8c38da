import { crashOnce } from './crash.ts';

/** `npm run check:crash -- [rounds]`: kills the product in the middle of 200 sign-ups, round after round. */
const rounds = Number(process.argv[2] ?? 3);
const signUps = 200;

let faults = 0;
for (let round = 1; round <= rounds; round += 1) {
  const killAfter = 1 + Math.floor(Math.random() * (signUps - 1));
  const report = await crashOnce({ signUps, killAfter });
  faults += report.faults.length;
  process.stdout.write(
    `round ${round}: killed after ${killAfter} answers; ${report.answered} answered, ${report.open} open ` +
      `(${report.openButRecorded} recorded), ${report.unsent} unsent; ${report.faults.length} faults\n`,
  );
  for (const fault of report.faults) process.stdout.write(`  ${fault}\n`);
}
process.exit(faults === 0 ? 0 : 1);

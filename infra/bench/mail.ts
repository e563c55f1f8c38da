import { startSmtpServer } from '@gatebook/mail/testing/smtp-server';
import { startBenchProduct } from './product.ts';
import type { Result } from './report.ts';
import { percentile } from './statistics.ts';

const mails = 40;
const idleMs = 150;

/**
 * The time from an acknowledged sign-up until the SMTP server has its email, on an idle machine, one email at a time.
 */
export async function benchMail(databaseUrl: string): Promise<Result[]> {
  const arrivals = new Map<string, number>();
  const server = await startSmtpServer({}, ({ to }, done) => {
    for (const email of to) arrivals.set(email, performance.now());
    done();
  });
  const product = await startBenchProduct(databaseUrl, { GATEBOOK_SMTP_URL: server.url });
  try {
    const times: number[] = [];
    for (let nth = 0; nth < mails; nth += 1) {
      const email = `mail${nth}@bench.example.com`;
      await product.signUp(email);
      const answered = performance.now();
      while (!arrivals.has(email)) await new Promise((resolve) => setTimeout(resolve, 1));
      // The email can arrive before the response.
      times.push(Math.max(0, (arrivals.get(email) ?? 0) - answered));
      await new Promise((resolve) => setTimeout(resolve, idleMs));
    }
    const common = { unit: 'ms', aim: { atMost: 250 } };
    return [
      { name: 'response → mail server has the email, median', gatebook: percentile(times, 0.5), ...common },
      { name: `response → mail server has the email, slowest of ${mails}`, gatebook: percentile(times, 1), ...common },
    ];
  } finally {
    await product.stop();
    await server.close();
  }
}

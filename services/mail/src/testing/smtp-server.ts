import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export type ReceivedEmail = { from: string; to: string[]; raw: string };

type Accept = (email: ReceivedEmail, done: () => void) => void;

/**
 * Starts a real SMTP server on a free loopback port that records received emails. `options` can make it misbehave;
 * `accept` decides when an email is accepted.
 */
export async function startSmtpServer(options: SMTPServerOptions = {}, accept: Accept = (_email, done) => done()) {
  const received: ReceivedEmail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    // Pooled connections would delay closing.
    closeTimeout: 20,
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        const email = { from, to: rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString() };
        accept(email, () => {
          received.push(email);
          done();
        });
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    received,
    url: `smtp://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

/** An SMTP error response. */
export function smtpRejection(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}

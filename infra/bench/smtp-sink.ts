import { SMTPServer } from 'smtp-server';

/** Accepts every email and counts them in a separate process, whose CPU belongs to no server. */
let received = 0;
const server = new SMTPServer({
  authOptional: true,
  disabledCommands: ['STARTTLS'],
  onData: (stream, _session, done) => {
    stream.resume();
    stream.once('end', () => {
      received += 1;
      done();
    });
  },
});
server.on('error', () => undefined);
server.listen(0, '127.0.0.1', () => {
  const address = server.server.address();
  process.stdout.write(`${JSON.stringify({ port: typeof address === 'object' ? address?.port : null })}\n`);
});
process.on('message', () => process.send?.(received));
process.once('SIGTERM', () => process.exit());
process.once('disconnect', () => process.exit());

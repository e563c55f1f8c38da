import { startStandIn } from './stand-in.ts';

/** `node stand-in-main.ts <port> [file]`: the stand-in as a process of its own; with a file its log outlives the process. */
const [port, file] = process.argv.slice(2);
const standIn = await startStandIn({ port: Number(port ?? 0), file: file ?? null });
process.stdout.write(`stand-in for EventStoreDB (no real server) at ${standIn.url}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void standIn.close().then(() => process.exit(0)));
}

import { startSimulator } from './simulator.ts';

/** `node simulator-main.ts <port> [file]`: runs the simulator as a process. With a file, the log outlives it. */
const [port, file] = process.argv.slice(2);
const simulator = await startSimulator({ port: Number(port ?? 0), file: file ?? null });
process.stdout.write(`simulator for EventStoreDB (no real server) at ${simulator.url}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void simulator.close().then(() => process.exit(0)));
}

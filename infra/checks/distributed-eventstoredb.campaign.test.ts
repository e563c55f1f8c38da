import { join } from 'node:path';
import { findFreePort } from '@gatebook/runtime/free-port';
import { startSimulatorProcess } from '../testing/simulator-process.ts';
import { describeDistributed } from './distributed.ts';

describeDistributed('the simulator for EventStoreDB', async (folder) => {
  const simulator = await startSimulatorProcess({ port: await findFreePort(), file: join(folder, 'log.jsonl') });
  return { settings: { GATEBOOK_EVENTSTORE_URL: simulator.url }, close: simulator.kill };
});

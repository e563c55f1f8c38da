import { join } from 'node:path';
import { findFreePort } from '@gatebook/runtime/free-port';
import { startStandInProcess } from '../testing/stand-in-process.ts';
import { describeDistributed } from './distributed.ts';

describeDistributed('the stand-in for EventStoreDB', async (folder) => {
  const standIn = await startStandInProcess({ port: await findFreePort(), file: join(folder, 'log.jsonl') });
  return { settings: { GATEBOOK_EVENTSTORE_URL: standIn.url }, close: standIn.kill };
});

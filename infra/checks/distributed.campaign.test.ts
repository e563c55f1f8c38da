import { describeDistributed } from './distributed.ts';

describeDistributed('Postgres', async () => ({ settings: {}, close: async () => undefined }));

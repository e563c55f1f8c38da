import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

/** A comparison may take seconds at a high cost, so that it gets a thread of its own. */
const { password, hash } = workerData as { password: string; hash: string };
parentPort?.postMessage(compareSync(password, hash));

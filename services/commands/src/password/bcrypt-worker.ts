import { parentPort, workerData } from 'node:worker_threads';
import { compareSync } from 'bcryptjs';

/** Runs in its own thread: a comparison with a high cost may take seconds. */
const { password, hash } = workerData as { password: string; hash: string };
parentPort?.postMessage(compareSync(password, hash));

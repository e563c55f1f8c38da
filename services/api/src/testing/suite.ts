import { afterAll, afterEach, expect } from 'vitest';
import { startTestApi, type TestApi } from './api.ts';
import { type Send, senderOf } from './requests.ts';

export type Suite = { api: TestApi; send: Send };

/**
 * Starts an API for one test file, checks its responses after each test, and stops it after the last one. Await it at
 * the top of the file.
 */
export async function startSuite(options: Parameters<typeof startTestApi>[0] = {}): Promise<Suite> {
  const api = await startTestApi(options);
  afterEach(() => expect(api.responseFaults.splice(0)).toEqual([]));
  afterAll(() => api.close());
  return { api, send: senderOf(api) };
}

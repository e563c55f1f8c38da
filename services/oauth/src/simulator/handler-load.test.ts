import { expect, onTestFinished, test, vi } from 'vitest';
import { createHandler } from './handler.ts';
import { startSimulatorProvider } from './provider.ts';

vi.mock('./handler.ts', () => ({
  createHandler: vi.fn(() => (_request: unknown, response: { end(text: string): void }) => response.end('simulator')),
}));

test('the simulator answers after a request that could not load it', async () => {
  vi.mocked(createHandler).mockImplementationOnce(() => {
    throw new Error('too many open files');
  });
  const simulator = await startSimulatorProvider({ secret: 'swordfish', redirectOrigins: [] });
  onTestFinished(() => simulator.close());
  const get = async () => (await fetch(simulator.url)).status;
  expect([await get(), await get()]).toEqual([500, 200]);
});

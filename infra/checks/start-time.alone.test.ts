import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makePassableFolder } from '../testing/passable-folder.ts';
import { startProduct } from '../testing/product.ts';

test('a start on an existing data folder takes less than 8 seconds', async () => {
  const folder = await makePassableFolder('gatebook-start-time-');
  const settings = { GATEBOOK_DATA_DIR: join(folder, 'data') };
  try {
    await (await startProduct(settings)).stop();
    const before = performance.now();
    const product = await startProduct(settings);
    const tookMs = performance.now() - before;
    await product.stop();
    // The goal is 1.5 s.
    expect(tookMs).toBeLessThan(8_000);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

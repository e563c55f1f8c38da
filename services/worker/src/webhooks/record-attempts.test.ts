import type { WebhookEndpoint } from '@gatebook/readmodel/webhooks/endpoints';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebhookParts } from './parts.ts';
import { createAttemptLog, type Recording } from './record-attempts.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** `statements`: of each one, the deliveries that it records. */
function createLog() {
  const statements: string[][] = [];
  const query = async ({ values: [ids] }: { values: [string[]] }) => {
    statements.push(ids);
    return { rows: [] };
  };
  const log = createAttemptLog({ pool: { query } } as unknown as WebhookParts, () => undefined);
  const end = (deliveryId: string) =>
    log.add({
      endpoint: { id: 'e1' } as WebhookEndpoint,
      subject: 'u1',
      attempt: { deliveryId, endpointId: 'e1', status: 'delivered' } as Recording['attempt'],
      isGone: false,
    });
  return { log, end, statements };
}

test('a single attempt is recorded at once, and those that end soon after it share a statement', async () => {
  const { end, statements } = createLog();
  end('d1');
  expect(statements).toEqual([['d1']]);
  await vi.advanceTimersByTimeAsync(4);
  end('d2');
  await vi.advanceTimersByTimeAsync(4);
  end('d3');
  expect(statements).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(4);
  expect(statements).toEqual([['d1'], ['d2', 'd3']]);
  await vi.advanceTimersByTimeAsync(100);
  end('d4');
  expect(statements[2]).toEqual(['d4']);
});

test('at the end, what waits is recorded without a pause', async () => {
  const { log, end, statements } = createLog();
  end('d1');
  await vi.advanceTimersByTimeAsync(0);
  end('d2');
  await log.close();
  expect(statements).toEqual([['d1'], ['d2']]);
});

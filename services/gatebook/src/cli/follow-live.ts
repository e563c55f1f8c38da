import { setTimeout as wait } from 'node:timers/promises';
import { ConnectionError, followLive, type LiveItem } from '@gatebook/js/core';
import type { CliContext } from './cli-context.ts';
import { type OwnerApi, TryLaterError } from './owner-api.ts';

/** Items of a live stream of the API, until Ctrl-C. Says when it connects again. */
export function followApi<Data>(
  { printError, stopSignal }: CliContext,
  { fetch }: OwnerApi,
  pathAfter: (cursor: string) => string,
  after: string | undefined,
): AsyncGenerator<LiveItem<Data>, void, undefined> {
  const signal = stopSignal();
  const open = async (cursor: string) => {
    try {
      return (await fetch(pathAfter(cursor))).body;
    } catch (error) {
      if (error instanceof TryLaterError) await wait(error.retryAfterMs, null, { signal }).catch(() => null);
      // `fetch` rejects with a TypeError when there is no answer.
      const isAway = [TypeError, ConnectionError, TryLaterError].some((Kind) => error instanceof Kind);
      if (isAway) return null;
      throw error;
    }
  };
  const onConnection = (isConnected: boolean) => {
    if (!isConnected) printError('The connection ended. Connecting again …');
  };
  return followLive<Data>(open, { after, signal, onConnection });
}

import { pause } from '@gatebook/runtime/pause';

/**
 * An export makes about 40 KB of garbage per event, and its collection blocks the process for milliseconds.
 * With shorter rests, more than one in a hundred other requests arrives during one (docs/decisions/0130).
 */
const restPerWork = 3;
/** A step takes longer while the client receives slowly. */
const longestRestMs = 50;

/** `isBusy`: whether requests keep arriving. */
type Pace = { yieldToRequests: () => Promise<void>; isBusy: () => boolean };

/**
 * Called between two steps, lets other requests go first. While they keep arriving, it also rests for three times as
 * long as the step took.
 */
export function createPace({ yieldToRequests, isBusy }: Pace): () => Promise<void> {
  let began = performance.now();
  return async () => {
    const workedMs = performance.now() - began;
    await yieldToRequests();
    if (isBusy()) await pause(Math.min(longestRestMs, restPerWork * workedMs));
    began = performance.now();
  };
}

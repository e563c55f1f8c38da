/** Simulated time in ms. Jobs run in the order of their times. */
export type Clock = { now(): number; after(ms: number, job: () => void): void; run(untilMs: number): void };

type Entry = { at: number; order: number; job: () => void };

export function createClock(): Clock {
  const heap: Entry[] = [];
  let now = 0;
  let order = 0;
  const isBefore = (a: Entry | undefined, b: Entry | undefined) =>
    a !== undefined && b !== undefined && (a.at < b.at || (a.at === b.at && a.order < b.order));
  const swap = (a: number, b: number): void => {
    const [one, other] = [heap[a], heap[b]];
    if (one && other) [heap[a], heap[b]] = [other, one];
  };

  function push(entry: Entry): void {
    let place = heap.push(entry) - 1;
    for (let parent = (place - 1) >> 1; place > 0 && isBefore(heap[place], heap[parent]); parent = (place - 1) >> 1) {
      swap(place, parent);
      place = parent;
    }
  }

  function pop(): Entry | undefined {
    swap(0, heap.length - 1);
    const first = heap.pop();
    for (let place = 0; ; ) {
      const [left, right] = [2 * place + 1, 2 * place + 2];
      const child = isBefore(heap[right], heap[left]) ? right : left;
      if (!isBefore(heap[child], heap[place])) return first;
      swap(child, place);
      place = child;
    }
  }

  return {
    now: () => now,
    after: (ms, job) => {
      order += 1;
      push({ at: now + ms, order, job });
    },
    run: (untilMs) => {
      for (let next = heap[0]; next && next.at <= untilMs; next = heap[0]) {
        pop();
        now = next.at;
        next.job();
      }
      now = untilMs;
    },
  };
}
